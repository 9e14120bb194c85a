# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Runs the command in the arguments. If it fails, the script prints $0 and reads the rest of the input: a container runtime may report
# the end of a command only when its input is read, and a network that finds the command gone before may lose its exit code.
# shellcheck shell=sh

"$@"
s=$?
if [ "$s" != 0 ]; then
  echo "$0" >&2
  cat >/dev/null 2>&1 || while read -r _; do :; done
fi
exit "$s"
