// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package network connects each cluster with this machine through a pair of virtual interfaces, one on this machine and
// one in the node.
//
// Pod and Service networks exist only in the node's namespace, so they are the same in every cluster.
package network

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// Networks inside every node. The Service of the API server has the first address of its network.
const (
	PodNetwork     = "10.244.0.0/16"
	ServiceNetwork = "10.96.0.0/16"
	APIServiceIP   = "10.96.0.1"
	NameServer     = "127.0.0.1" // of Pods: nothing listens there, so that a lookup fails at once
	APIPort        = 6443
)

// uplinks is the number of networks of four addresses in 10.213.0.0/16.
const uplinks = 1 << 14

// Link is the connection between this machine and one node.
type Link struct {
	Host netip.Addr `json:"host"`
	Node netip.Addr `json:"node"`
}

// Allocate returns a free link for the cluster. It begins the search at a hash of the name, so that a cluster usually
// gets the same link each time.
func Allocate(cluster string, taken func(netip.Prefix) bool) (Link, error) {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(cluster))
	for i := range uint32(uplinks) {
		base := (sum.Sum32()%uplinks + i) % uplinks * 4
		address := func(n uint32) netip.Addr {
			return netip.AddrFrom4([4]byte{10, 213, byte((base + n) >> 8), byte(base + n)})
		}
		if !taken(netip.PrefixFrom(address(0), 30)) {
			return Link{Host: address(1), Node: address(2)}, nil
		}
	}
	return Link{}, fmt.Errorf("no network of four addresses is free in 10.213.0.0/16")
}

// InUse returns a function that reports whether one of the addresses overlaps a prefix.
func InUse(addresses []net.Addr) func(netip.Prefix) bool {
	return func(prefix netip.Prefix) bool {
		for _, address := range addresses {
			if own, err := netip.ParsePrefix(address.String()); err == nil && own.Overlaps(prefix) {
				return true
			}
		}
		return false
	}
}

// HostInterface returns the name of the interface on this machine. Interface names have at most 15 characters.
func HostInterface(cluster string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(cluster))
	return fmt.Sprintf("ksb-%08x", sum.Sum32())
}

// Connect creates the link to the node of the process pid. It replaces an older link of the cluster.
func Connect(ctx context.Context, cluster string, link Link, pid int) error {
	if err := Disconnect(ctx, cluster); err != nil {
		return err
	}
	outside, inside, target := HostInterface(cluster), "uplink", strconv.Itoa(pid)
	enter := []string{"nsenter", "--target", target, "--net", "--"}
	for _, args := range [][]string{
		{"ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", target},
		{"ip", "address", "add", link.Host.String() + "/30", "dev", outside},
		{"ip", "link", "set", outside, "up"},
		append(slices.Clip(enter), "ip", "address", "add", link.Node.String()+"/30", "dev", inside),
		append(slices.Clip(enter), "ip", "link", "set", inside, "up"),
		// The route leads nowhere, because kube-proxy rewrites the destination of packets to Services. But without a route
		// the kernel sends no packets.
		append(slices.Clip(enter), "ip", "route", "add", ServiceNetwork, "dev", inside),
		// This machine has no route to Pods. What they send to it comes from the node's address, so that answers arrive.
		append(slices.Clip(enter), "nft", fmt.Sprintf("add table ip uplink; "+
			"add chain ip uplink pods { type nat hook postrouting priority srcnat; }; "+
			"add rule ip uplink pods ip saddr %s oifname %s masquerade", PodNetwork, inside)),
	} {
		if err := run(ctx, args); err != nil {
			return err
		}
	}
	return nil
}

// Disconnect removes the link. The kernel also removes it, with a delay, when the node has ended.
func Disconnect(ctx context.Context, cluster string) error {
	exists := func() bool {
		_, err := os.Stat(filepath.Join("/sys/class/net", HostInterface(cluster)))
		return err == nil
	}
	if !exists() {
		return nil
	}
	if err := run(ctx, []string{"ip", "link", "delete", HostInterface(cluster)}); err != nil && exists() {
		return err
	}
	return nil
}

func run(ctx context.Context, args []string) error {
	if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", args, err, out)
	}
	return nil
}
