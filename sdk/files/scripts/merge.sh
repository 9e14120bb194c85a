# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Moves what the directory $1 contains to $2. Directories that exist stay and get the mode and time of the new ones, except $2
# itself; a file replaces a file or a link. A dangling link is removed first: not every mv can replace a link to itself.
# shellcheck shell=sh disable=SC2015,SC2016 # the inner shell expands; a and b or c is meant as it is

if [ ! -e "$2" ] && [ ! -L "$2" ]; then
  mv "$1" "$2" || exit
  [ -d "$2/${1##*/}" ] || exit 0
  set -- "$2/${1##*/}" "$2" # another copy was faster
fi
merge() {
  set -- "$1" "$2" "$3" "$(stat -c %a "$1" 2>/dev/null)" "$(stat -c %Y "$1" 2>/dev/null)"
  for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    [ -d "$f" ] && [ ! -L "$f" ] || continue
    if [ -d "$2/${f##*/}" ] && [ ! -L "$2/${f##*/}" ]; then merge "$f" "$2/${f##*/}" inner || return 1
    elif mv -f "$f" "$2/" 2>/dev/null; then :
    elif [ -d "$2/${f##*/}" ] && [ -d "$f" ]; then merge "$f" "$2/${f##*/}" inner || return 1
    else mv -f "$f" "$2/" || return 1; fi
  done
  if command -v find >/dev/null 2>&1; then
    find "$1" -maxdepth 1 ! -type d -exec sh -c 'for f; do
      t=$0/${f##*/}
      if [ -L "$t" ] && [ ! -e "$t" ]; then rm -f "$t" || exit 1; fi
    done
    mv -f "$@" "$0/"' "$2" {} + || return 1
  else
    for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do
      if [ -e "$f" ] || [ -L "$f" ]; then
        if [ -L "$2/${f##*/}" ] && [ ! -e "$2/${f##*/}" ]; then rm -f "$2/${f##*/}" || return 1; fi
        [ -d "$f" ] && [ ! -L "$f" ] || mv -f "$f" "$2/" || return 1
      fi
    done
  fi
  [ -n "$3" ] || return 0
  [ -n "$4" ] && chmod "$4" "$2"
  [ -n "$5" ] && touch -d "@$5" "$2" 2>/dev/null
  return 0
}
merge "$1" "$2" '' && rm -rf "$1"
