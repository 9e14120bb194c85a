# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Prints the sum of the first $2 bytes of the file $1.
# shellcheck shell=sh

head -c "$2" "$1" | sha256sum
