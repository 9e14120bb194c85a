# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Writes the file $1 from its byte $2 on, counted from 1. If $3 is "sum", the sum of the same bytes goes to the standard error: computed
# by Python if $4 is a program for it and the image has it.
# shellcheck shell=sh

f=$1 n=$2 sum=
[ -r "$f" ] || { cat "$f"; exit 1; }
data() { if [ "$n" = 1 ]; then cat "$f"; else tail -c "+$n" "$f"; fi; }
if [ "$3" != sum ]; then :
elif [ -n "$4" ] && command -v python3 >/dev/null 2>&1 && python3 -I -c "import hashlib" 2>/dev/null; then
  python3 -I -c "$4" "" $((n-1)) <"$f" >&2 &
  sum=$!
else
  data | sha256sum >&2 &
  sum=$!
fi
data || exit 1
[ -z "$sum" ] || wait "$sum"
