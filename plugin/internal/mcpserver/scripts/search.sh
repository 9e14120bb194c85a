# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Finds files below ROOT whose names match NAME and, if $text is not empty, that have lines which match it. Prints the name of
# each, a NUL, the matching lines with their numbers, and a NUL. MODE is F for literal texts and E for regular expressions.
# Arguments: ROOT NAME MODE
# shellcheck shell=sh disable=SC2016,SC2154 # the inner shell expands; read_text.sh sets text

root=$1 name=$2 mode=$3
text=${text%?} # without the line end that read_text.sh has added
if [ -z "$text" ]; then
  set -- 'for file; do printf "%s\0\0" "$file"; done' sh
else
  # More than 1 means that it is not a regular expression, or that there is no grep.
  grep "-$mode" -e "$text" </dev/null >/dev/null || [ $? = 1 ] || exit 2
  set -- 'mode=$1 text=$2; shift 2
    grep -q "-$mode" -e "$text" -- "$@" 2>/dev/null || exit 0
    for file; do
      grep -q "-$mode" -e "$text" -- "$file" 2>/dev/null || continue
      printf "%s\0" "$file"
      grep -n "-$mode" -m 100 -e "$text" -- "$file" | tr -d "\000"
      printf "\0"
    done' sh "$mode" "$text"
fi
find "$root" \( -path /proc -o -path /sys -o -path /dev -o -name .git \) -prune -o -type f -name "$name" \
  -exec sh -c "$@" {} + 9<&-
