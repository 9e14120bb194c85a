# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Removes $1 and what it contains, also if that includes directories that are not writable.
# shellcheck shell=sh

rm -rf "$1" 2>/dev/null || { chmod -R u+rwX "$1"; rm -rf "$1"; }
