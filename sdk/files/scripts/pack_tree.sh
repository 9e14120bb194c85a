# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Archives the directory $1 with all that it contains.
# shellcheck shell=sh

pack "$1" .
