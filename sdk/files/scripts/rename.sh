# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Gives the file $1 the name $2, with the mode $3 and the time $4 if they are set. A file that is a mount point cannot be replaced, so
# its content is overwritten.
# shellcheck shell=sh

[ -f "$1" ] || { echo "another copy of the same, with --resume, has gone on with what this one had" >&2; exit 1; }
m=$3
[ -n "$m" ] || m=$(stat -L -c %a "$2" 2>/dev/null) || m=644
chmod "$m" "$1" 2>/dev/null
[ -n "$4" ] && touch -d "@$4" "$1" 2>/dev/null
mv -f "$1" "$2" 2>/dev/null || { cat <"$1" >"$2" && rm -f "$1"; }
