# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# For each path or pattern in the arguments, prints the paths that exist and match: a letter for the kind (d, f, l for a symbolic link, o
# for another kind), a blank and the path, and a zero byte. What matches nothing has the letter -. Only file names are expanded: a
# pattern is not split into words, and nothing is executed.
# shellcheck shell=sh

kind() {
  if [ -L "$1" ]; then k=l; elif [ -d "$1" ]; then k=d; elif [ -f "$1" ]; then k=f; else k=o; fi
  printf '%s %s\0' "$k" "$1"
}
IFS=
for p; do
  if [ -e "$p" ] || [ -L "$p" ]; then kind "$p"; continue; fi
  n=-
  for f in $p; do if [ -e "$f" ] || [ -L "$f" ]; then kind "$f"; n=''; fi; done
  [ -z "$n" ] || printf '%s %s\0' "$n" "$p"
done
