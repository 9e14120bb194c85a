# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# The beginning of a script whose first argument ends a text on standard input. It reads the text, which may be too long for
# an argument, into $text. A text that was cut off is not used. It collects lines in parts, because appending to a long text
# takes long.
# shellcheck shell=sh

end=$1 text='' part='' lines=0
shift
while :; do
  IFS= read -r line || exit 125
  [ "$line" != "$end" ] || break
  part="$part$line
"
  lines=$((lines + 1))
  [ "$lines" -lt 100 ] || { text="$text$part" part='' lines=0; }
done
text="$text$part"
