# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# The beginning of a script that must end when the client does, together with everything that it started: a program that only
# reads a file never notices that nobody reads its output. The client keeps the standard input open for as long as it lives.
# A container runtime starts a command as the leader of a process group; where that is not so, or unknown, nothing is killed.
# shellcheck shell=sh

exec 9<&0 </dev/null
if { read -r _ _ _ _ group _ </proc/$$/stat; } 2>/dev/null && [ "$group" = $$ ]; then
  { read -r _ <&9; kill -s TERM 0; } >/dev/null 2>&1 &
  tending=$!
  trap 'kill "$tending" 2>/dev/null' EXIT
fi
