# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Runs PROGRAM in DIRECTORY, if that is not empty, with $text as the last argument or on standard input, as HOW says.
# Arguments: DIRECTORY HOW PROGRAM [ARGUMENT...]
# shellcheck shell=sh disable=SC2154 # read_text.sh sets text

directory=$1 how=$2
shift 2
[ -z "$directory" ] || cd "$directory" || exit 1
if [ "$how" = argument ]; then
  "$@" "$text" 9<&-
else
  printf '%s' "$text" | "$@" 9<&-
fi
