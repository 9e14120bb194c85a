# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Reads the selection, a program of $1 bytes, from the standard input, and removes that argument. The program redefines what walk.sh
# defines, and may define names, which passes names to the function each.
# shellcheck shell=sh

eval "$(head -c "$1")"
shift
