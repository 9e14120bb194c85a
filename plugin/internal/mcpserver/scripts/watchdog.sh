# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Ends this script and what it has started when the client goes away: then standard input ends. What does not obey is killed
# after five seconds. A container runtime starts a command as the leader of a process group; where that is not so, or unknown,
# nothing is ended.
# shellcheck shell=sh

exec 9<&0 </dev/null
if { read -r _ _ _ _ group _ </proc/$$/stat; } 2>/dev/null && [ "$group" = $$ ]; then
  { read -r _ <&9; trap '' TERM; kill -s TERM 0; sleep 5; kill -s KILL 0; } >/dev/null 2>&1 &
  watchdog=$!
  trap 'kill "$watchdog" 2>/dev/null' EXIT
fi
