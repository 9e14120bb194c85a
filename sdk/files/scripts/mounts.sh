# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Defines mounts, which prints the directories below $1 on which something is mounted, and sets mounted if there are any. The kernel
# writes blanks and backslashes in their names as octal numbers. Mounted files, as /etc/hosts in a container, do not count.
# shellcheck shell=sh disable=SC2034,SC2317 # the scripts that follow use them

mounted=''
mounts() {
  [ -r /proc/self/mountinfo ] || return 0
  m=$(cd "$1" 2>/dev/null && pwd -P && echo .) || return 0
  m=${m%??}
  m=${m%/}
  while read -r _ _ _ _ at _; do
    case $at in *\\*) at=$(printf '%b.' "$at"); at=${at%.} ;; esac
    case $at in "$m"/?*)
      [ -d "$at" ] || continue
      printf 'mount %s\n' "${at#"$m"/}"
      mounted=1 ;;
    esac
  done </proc/self/mountinfo
}
