# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Prints the entries of the directory $1: size, time and mode, and after the last space the name up to a zero byte.
# shellcheck shell=sh

cd "$1" || exit
for f in * .[!.]* ..?*; do
  [ -e "$f" ] || [ -L "$f" ] || continue
  printf '%s %s\0' "$(stat -c '%s %Y %f' -- "$f")" "$f"
done
