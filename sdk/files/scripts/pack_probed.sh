# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Archives the path that probe.sh has looked at, if it is a directory and the image has what that needs. A line announces the archive.
# shellcheck shell=sh disable=SC2015,SC2034,SC2154 # probe.sh sets p and mounted; without tar there is nothing to archive either

[ -d "$p" ] && can tar || exit 0
[ -z "$mounted" ] || pruned=1 xdev=-xdev
[ -z "$pruned" ] || can find || exit 0
echo archive
pack "$p"
