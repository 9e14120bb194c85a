# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Renames what an interrupted copy has left in the directory $1, under a name that begins with $2, to $3. First it kills the processes
# that may still write to it: a connection that the client has lost may stay open on this side for long. Prints "found" if there
# was something.
# shellcheck shell=sh

cd "$1" 2>/dev/null || exit 0
[ -e "$3" ] && set -- "$1" "$3" "$3"
for f in "$2"*; do
  [ -e "$f" ] || continue
  for p in /proc/[0-9]*; do
    [ "$p" != "/proc/$$" ] || continue
    { while IFS= read -r l || [ -n "$l" ]; do
      case $l in *"$f"*) kill -s KILL "${p#/proc/}"; break ;; esac
      l=
    done <"$p/cmdline"; } 2>/dev/null
  done
  [ "$f" = "$3" ] || mv "$f" "$3" 2>/dev/null || continue
  echo found
  exit
done
