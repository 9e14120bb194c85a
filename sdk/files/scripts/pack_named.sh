# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Archives the files of the directory $1 that the list names.
# shellcheck shell=sh

pack "$1"
