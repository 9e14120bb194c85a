# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Lists the path that probe.sh has looked at, if it is a directory, after a line that announces it. There are blocks of names, each
# followed by a zero byte and each block by another one, and then one line for each name: mode, size and time. After the record
# "links" there are blocks of symbolic links, and then one record for each: its target. The record "end" says that nothing is missing.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154 # the inner shells expand; probe.sh sets p and mounted

[ -d "$p" ] || exit 0
[ -z "$mounted" ] || xdev=-xdev
echo entries
cd "$p" || exit
walk -exec sh -c 'printf "%s\0" "$@" && printf "\0" && stat -c "%f %s %Y" "$@"' sh {} + || exit
printf 'links\0'
walk -type l -exec sh -c 'printf "%s\0" "$@" && printf "\0"
  if readlink -z "$1" >/dev/null 2>&1; then exec readlink -z "$@"; fi
  for f; do t=$(readlink "$f" && echo .) || exit; printf "%s\0" "${t%??}"; done' sh {} + || exit
printf 'end\0'
