# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Defines pack, which writes the archive of the directory $1, or of what is selected in it. If the image can compute the sum of the
# archive while it passes, that sum follows, with the sums of the files that were changed meanwhile: those that are newer than the
# directory of this process in /proc, which the kernel dates by its first use. Otherwise the sums of all files follow. Where something
# is left out, find names what tar archives: as a list, or, for a tar that takes none, as arguments; then there are several archives,
# and a line before each. Without a name that is left out, tar finds everything by itself.
# shellcheck shell=sh disable=SC2016,SC2086,SC2154,SC2317 # $since is two words; other parts of the script set and call these

since=
[ -e /proc/$$/stat ] && since="-newer /proc/$$"
lists() { printf '.\0' | tar --no-recursion --null -cf /dev/null -C / -T - >/dev/null 2>&1; }
tarred() (
  [ -n "$pruned" ] || { roots tar -cf - -C "$d"; exit; }
  cd "$d" || exit
  if ! lists; then
    walk -exec sh -c 'echo archive; exec tar --no-recursion -cf - "$@"' sh {} +
    exit
  fi
  exec 6>&1
  s=$({ { walk -print0 || echo 2 >&7; } | tar --no-recursion --null -cf - -T - >&6 || echo "$?" >&7; } 7>&1)
  case $s in '') exit 0 ;; 1) exit 1 ;; *) exit 2 ;; esac
)
pack() {
  d=$1
  if taps; then
    exec 4>&1
    told=$({ { { tarred; echo "$?" >&5; } | tee /dev/fd/3 >&4; } 3>&1 | sha256sum; } 5>&1)
    echo "$told"
    code=${told%%[!0-9]*}
  else
    since=
    tarred
    code=$?
  fi
  if can sha256sum && can find; then (cd "$d" && summed $since) 2>/dev/null; fi
  exit "${code:-1}"
}
