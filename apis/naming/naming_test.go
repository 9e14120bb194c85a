// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package naming_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// The hash is stored on live objects and computed by clients. These are the published vectors of 32-bit FNV-1a.
func TestHashIsFNV1a(t *testing.T) {
	for name, want := range map[string]string{
		"":       "811c9dc5",
		"a":      "e40c292c",
		"b":      "e70c2de5",
		"foobar": "bf9cf968",
	} {
		if got := naming.Hash(name); got != want {
			t.Errorf("Hash(%q): got %s, want %s", name, got, want)
		}
	}
}

func TestHashKeepsItsLeadingZeros(t *testing.T) {
	// The FNV-1a hash of these five bytes is 0x00000000.
	if got := naming.Hash("\xcc\x24\x31\xc4"); got != "00000000" {
		t.Errorf("got %q, want eight zeros", got)
	}
}

func TestHashIsALabelValueForAnyName(t *testing.T) {
	for _, name := range []string{"", "a", "my.sandbox", strings.Repeat("x", 253), "ä/ö\n"} {
		got := naming.Hash(name)
		if problems := validation.IsValidLabelValue(got); len(got) != 8 || len(problems) > 0 {
			t.Errorf("Hash(%q) is %q: %v", name, got, problems)
		}
	}
}

// Two names may have the same hash: a selector with only the hash matches both of these Sandboxes.
func TestTwoNamesMayShareAHash(t *testing.T) {
	one, other := "costarring", "liquid"
	if naming.Hash(one) != naming.Hash(other) {
		t.Errorf(
			"%s and %s are a known collision of FNV-1a, but give %s and %s", one, other, naming.Hash(one), naming.Hash(other),
		)
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ what, got, want string }{
		{"PersistentVolumeClaim", naming.PersistentVolumeClaim("data", "box"), "data-box"},
		{"NetworkPolicy", naming.NetworkPolicy("python"), "python-network-policy"},
		{"ServiceFQDN", naming.ServiceFQDN("box", "team", "cluster.local"), "box.team.svc.cluster.local"},
		{"ServiceFQDN of another domain", naming.ServiceFQDN("box", "team", "example.org"), "box.team.svc.example.org"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.what, test.got, test.want)
		}
	}
}

func TestLimitsLeaveRoomForDerivedNames(t *testing.T) {
	policy := naming.NetworkPolicy(strings.Repeat("t", naming.MaxTemplateName))
	if len(policy) != validation.DNS1123SubdomainMaxLength {
		t.Errorf("the longest template name gives a NetworkPolicy name of %d characters, want exactly the limit %d",
			len(policy), validation.DNS1123SubdomainMaxLength)
	}
	member := strings.Repeat("p", naming.MaxPoolName) + "-xxxxx"
	if problems := validation.IsDNS1123Label(member); len(problems) > 0 ||
		len(member) != validation.DNS1123LabelMaxLength {
		t.Errorf("the longest pool name gives a member's name of %d characters: %v", len(member), problems)
	}
	if naming.MaxPoolName != 57 || naming.MaxTemplateName != 238 {
		t.Errorf("limits are %d and %d, but the schemas say 57 and 238", naming.MaxPoolName, naming.MaxTemplateName)
	}
}
