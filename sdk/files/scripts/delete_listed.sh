# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Deletes names below the directory $1, as the selection says: names calls at with a directory, and if that is still the directory that was
# listed, and not reached through a symbolic link, gone with files in it, or empty with directories. A directory that is not empty
# stays; for each such one, a line is printed.
# shellcheck shell=sh disable=SC2164,SC2317 # the result of cd is the last one; names calls the functions

failed=''
root=$(cd "$1" && pwd -P && echo .) || exit
root=${root%??}
root=${root%/}
at() {
  t=$root/$1
  [ "$1" != . ] || t=$root
  cd -P "${t:-/}" 2>/dev/null && [ "$PWD" = "${t:-/}" ] && return
  echo "$1 is not the directory that was listed any more: nothing in it was deleted" >&2
  failed=1
  return 1
}
gone() { rm -f "$@" || failed=1; }
empty() { for e; do rmdir "$e" 2>/dev/null || echo kept; done; }
names
[ -z "$failed" ]
