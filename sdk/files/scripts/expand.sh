# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Prints the paths that exist and match the pattern $1, each followed by a zero byte. Only file names are expanded: the pattern is
# not split into words, and nothing is executed.
# shellcheck shell=sh

p=$1
if [ -e "$p" ] || [ -L "$p" ]; then printf '%s\0' "$p"; exit; fi
IFS=
for f in $p; do if [ -e "$f" ] || [ -L "$f" ]; then printf '%s\0' "$f"; fi; done
