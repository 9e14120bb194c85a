# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Defines summed, which prints the sums of the files that walk finds with more conditions. The output is
# unambiguous for all names and all versions of sha256sum: first lines, for names without line breaks and backslashes; then
# records that end in a zero byte, with the sum for the other names, and without it for empty files. Empty files are not read:
# those in /proc are generated while they are read, and may never end. GNU's sha256sum writes line by line, and each write passes
# through six programs on its way to the client, so tail collects the lines.
# shellcheck shell=sh disable=SC2016,SC2317 # the inner shells expand; the scripts that follow call the functions

gathered() { if command -v tail >/dev/null 2>&1; then tail -n +1; else cat; fi; }
summed() {
  LC_ALL=C; export LC_ALL
  breaks=$(printf '\n\r\134\134')
  walk -type f -size +0c ! -path "./*[$breaks]*" "$@" -exec sha256sum {} + | gathered
  echo records
  walk -type f -size +0c -path "./*[$breaks]*" "$@" -exec sh -c 'for f; do s=$(sha256sum <"$f") && printf "%s%s\0" "$s" "$f"; done' sh {} +
  walk -type f -size 0c "$@" -exec sh -c 'printf "%s\0" "$@"' sh {} +
}
