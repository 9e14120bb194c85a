# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Archives the directory $1, or what is selected in it.
# shellcheck shell=sh

pack "$1"
