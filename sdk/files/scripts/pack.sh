# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Defines pack, which writes the archive of the directory $1; the other arguments tell tar what to include. If the image can
# compute the sum of the archive while it passes, that sum follows, with the sums of the files that were changed meanwhile: those
# that are newer than the directory of this process in /proc, which the kernel dates by its first use. Otherwise the sums of all
# files follow.
# shellcheck shell=sh disable=SC2086,SC2317 # $since is two words; the scripts that follow call the functions

since=
[ -e /proc/$$/stat ] && since="-newer /proc/$$"
tarred() { tar -cf - -C "$d" "$@"; }
pack() {
  d=$1; shift
  if taps; then
    exec 4>&1
    told=$({ { { tarred "$@"; echo "$?" >&5; } | tee /dev/fd/3 >&4; } 3>&1 | sha256sum; } 5>&1)
    echo "$told"
    code=${told%%[!0-9]*}
  else
    since=
    tarred "$@"
    code=$?
  fi
  if can sha256sum && can find; then (cd "$d" && summed $since) 2>/dev/null; fi
  exit "${code:-1}"
}
