# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Writes the file $1, in the directory $2, from its first $3 bytes and the standard input. $4 is empty, or the Python program that
# writes. The file is created again, because the command of an interrupted copy may still write to the old one. cat writes it, and
# not tee: a tee that cannot write continues to read, and Busybox's reports the error only at the end.
# shellcheck shell=sh disable=SC2015 # either command's failure ends the script

[ -d "$2" ] || mkdir -p "$2" || exit 1
command -v chmod >/dev/null 2>&1 && umask 077
if [ "$3" = 0 ]; then rm -f "$1"; : >"$1" || exit 1
else head -c "$3" "$1" >"$1~" && mv -f "$1~" "$1" || exit 1; fi
if [ -n "$4" ] && command -v python3 >/dev/null 2>&1; then
  s=$(python3 -I -c "$4" "$1") && { wc -c <"$1"; echo "${s#begun?}"; exit; }
  [ "${s%%[!a-z]*}" != begun ] || exit 1
fi
if taps; then
  s=$({ { tee /dev/fd/4 | { cat >>"$1" || { echo .kubectl-sandbox-failed >&2; echo failed >&3; cat >/dev/null; }; }; } 4>&1 | sha256sum; } 3>&1)
  case "$s" in ''|*failed*) exit 1; esac
  wc -c <"$1"; echo "$s"
else
  cat >>"$1" || exit 1
  wc -c <"$1" 2>/dev/null && can sha256sum && tail -c "+$(($3 + 1))" "$1" | sha256sum
fi
:
