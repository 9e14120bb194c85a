// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package network

import (
	"net"
	"net/netip"
	"testing"
)

func free(netip.Prefix) bool { return false }

func TestAllocate(t *testing.T) {
	first, err := Allocate("dev", free)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := Allocate("dev", free); again != first {
		t.Errorf("the same name got %v, then %v", first, again)
	}
	subnet := netip.PrefixFrom(first.Host, 30).Masked()
	if !subnet.Contains(first.Node) || first.Host == first.Node {
		t.Errorf("link %v is not two addresses of one network", first)
	}
	second, err := Allocate("dev", func(p netip.Prefix) bool { return p.Masked() == subnet })
	if err != nil || subnet.Contains(second.Host) {
		t.Errorf("with %v taken the link is %v (%v)", subnet, second, err)
	}
	if _, err := Allocate("dev", func(netip.Prefix) bool { return true }); err == nil {
		t.Error("no error although every network is taken")
	}
}

func TestInUse(t *testing.T) {
	_, lan, _ := net.ParseCIDR("10.213.0.0/24")
	inUse := InUse([]net.Addr{lan})
	tests := map[string]struct {
		prefix string
		want   bool
	}{
		"a network inside one of this machine's is in use": {"10.213.0.8/30", true},
		"a network beside it is not":                       {"10.213.1.0/30", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := inUse(netip.MustParsePrefix(test.prefix)); got != test.want {
				t.Errorf("in use: %v", got)
			}
		})
	}
}

func TestHostInterfaceFitsTheKernel(t *testing.T) {
	long := HostInterface("a-name-that-is-as-long-as-can-b")
	if len(long) > 15 {
		t.Errorf("%q has more than 15 characters", long)
	}
	if long == HostInterface("dev") {
		t.Error("two clusters share an interface name")
	}
}
