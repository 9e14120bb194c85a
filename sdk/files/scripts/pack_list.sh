# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Redefines tarred for pack: it archives only the names in $list. They are terminated by zero bytes if tar supports that. A tar that
# takes no list of names, or only lines while a name contains a line break, archives everything.
# shellcheck shell=sh disable=SC2086,SC2154,SC2317 # the list is split at line breaks; other parts of the script set and call these

tarred() {
  set -f
  IFS='
'
  broken=
  case $list in *'\0012'*) broken=1 ;; esac
  if printf '.\0' | tar --no-recursion --null -cf /dev/null -C / -T - 2>/dev/null; then
    printf '%b\0' $list | tar -cf - -C "$d" --no-recursion --null -T -
  elif [ -z "$broken" ] && printf '.\n' | tar --no-recursion -cf /dev/null -C / -T - 2>/dev/null; then
    printf '%b\n' $list | tar -cf - -C "$d" --no-recursion -T -
  else
    tar -cf - -C "$d" .
  fi
}
