# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Redefines tarred for pack: it archives only the names that the function names passes on, without what directories contain. A tar
# that cannot do that archives everything.
# shellcheck shell=sh disable=SC2154,SC2317 # other parts of the script set and call these

tarred() (
  cd "$d" || exit
  if lists; then
    each() { printf '%s\0' "$@"; }
    names | tar --no-recursion --null -cf - -T -
  elif tar --no-recursion -cf /dev/null -C / . >/dev/null 2>&1; then
    failed=''
    each() { echo archive; tar --no-recursion -cf - "$@" || failed=1; }
    names
    [ -z "$failed" ]
  else
    roots tar -cf -
  fi
)
