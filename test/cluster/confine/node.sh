#!/bin/sh
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# node.sh runs as the first process of a cluster, in new mount and network namespaces, and keeps them open.
# Every component enters these namespaces and sees the same paths, whatever the name of the cluster:
#   /run/cluster  the cluster's directory       /run/bin  the programs
#   /run /var /tmp  the cluster's own, empty at first: sockets, kubelet, containerd, CNI state, logs, volumes
set -eu
state=$1
programs=$2

mkdir -p "$state/run/cluster" "$state/run/bin" "$state/run/lock" "$state/tmp"
mkdir -p "$state/var/lib" "$state/var/log" "$state/var/tmp"
chmod 1777 "$state/tmp" "$state/var/tmp"
ln -sfn /run "$state/var/run"
ln -sfn /run/lock "$state/var/lock"
mount --bind "$state" "$state/run/cluster"
mount --bind "$programs" "$state/run/bin"
mount --rbind "$state/run" /run
mount --bind /run/cluster/var /var # not $state, which may be below /var or /tmp
mount --bind /run/cluster/tmp /tmp

# Nothing listens at this name server, so the lookup of an image's registry fails at once.
echo 'nameserver 127.0.0.1' >/run/cluster/resolv.conf
resolv=$(readlink -m /etc/resolv.conf)
mkdir -p "$(dirname "$resolv")"
[ -e "$resolv" ] || : >"$resolv"
mount --bind /run/cluster/resolv.conf "$resolv"

# The kubelet writes these kernel parameters, for the whole machine, unless it reads the values that it wants.
parameters=vm/overcommit_memory=1,vm/panic_on_oom=0,kernel/panic=10,kernel/panic_on_oops=1
parameters=$parameters,kernel/keys/root_maxkeys=1000000,kernel/keys/root_maxbytes=25000000
for pair in $(echo "$parameters" | tr , ' '); do
	file=/run/cluster/sysctl/${pair%=*}
	mkdir -p "$(dirname "$file")"
	echo "${pair#*=}" >"$file"
	mount --bind "$file" "/proc/sys/${pair%=*}"
done
# The kernel lets a Pod with a user namespace mount /proc only if the node has a /proc that nothing covers.
mkdir -p /run/proc
mount -t proc proc /run/proc
mount --make-rshared /

ip link set lo up
echo 1 >/proc/sys/net/ipv4/ip_forward
# Without this a reply between two Pods of this node bypasses the translation of Service addresses.
bridge=/proc/sys/net/bridge/bridge-nf-call-iptables
[ ! -e "$bridge" ] || echo 1 >"$bridge"

: >/run/cluster/node-ready
exec sleep infinity
