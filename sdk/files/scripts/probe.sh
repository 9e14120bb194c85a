# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Describes the paths in the arguments after the first one, and lists which tools the image has. If the first argument contains "measure",
# the size of a directory is measured; if it contains "mounts", what is mounted below a directory is listed, and not measured.
# shellcheck shell=sh

w=$1 x=''; shift
case $w in *mounts*) x=x ;; esac
for p; do
  if [ -d "$p" ]; then
    echo "kind directory"
    [ -z "$x" ] || mounts "$p"
    case $w in *measure*) du "-sk$x" "$p" 2>/dev/null | while read -r k _; do echo "kilobytes $k"; done ;; esac
  elif [ -f "$p" ]; then echo "kind file"; stat -L -c "stat %s %a %Y" "$p" 2>/dev/null
  elif [ -p "$p" ] || [ -S "$p" ]; then echo "kind pipe"
  elif [ -e "$p" ]; then echo "kind device"
  else echo "kind missing"; fi
done
for t in sha256sum find tar stat; do command -v $t >/dev/null 2>&1 && echo "has $t"; done
:
