# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# Describes the paths in the arguments after the first one, and lists which tools the image has. The size of a directory is
# measured if the first argument is "measure".
# shellcheck shell=sh

m=$1; shift
for p; do
  if [ -d "$p" ]; then
    echo "kind directory"
    [ "$m" = measure ] && du -sk "$p" 2>/dev/null | while read -r k _; do echo "kilobytes $k"; done
  elif [ -f "$p" ]; then echo "kind file"; stat -L -c "stat %s %a %Y" "$p" 2>/dev/null
  elif [ -p "$p" ] || [ -S "$p" ]; then echo "kind pipe"
  elif [ -e "$p" ]; then echo "kind device"
  else echo "kind missing"; fi
done
for t in sha256sum find tar; do command -v $t >/dev/null 2>&1 && echo "has $t"; done
:
