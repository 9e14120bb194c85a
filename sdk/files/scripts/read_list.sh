# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Reads the list of names from the first $2 bytes of the standard input.
# shellcheck shell=sh disable=SC2034 # pack_list.sh uses the list

list=$(head -c "$2")
