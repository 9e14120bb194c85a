#!/bin/sh
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# start.sh runs the server of ssh as the user of the container, with a host key on the volume.
set -eu
keys=/home/dev/.sshd
mkdir -p "$keys"
[ -s "$keys/host" ] || ssh-keygen -q -t ed25519 -N '' -f "$keys/host"
# A Pod with fsGroup lets the group read the files of a volume, and sshd takes no such key.
chmod 600 "$keys/host"
exec /usr/sbin/sshd -D -e
