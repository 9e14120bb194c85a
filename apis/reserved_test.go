// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis_test

import (
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

func TestReservedKeysLieUnderOurDomains(t *testing.T) {
	tests := map[string]bool{
		"agents.x-k8s.io/sandbox-name-hash":   true,
		"agents.x-k8s.io/anything":            true,
		"agents.x-k8s.io/":                    true,
		"extensions.agents.x-k8s.io/anything": true,
		"more.extensions.agents.x-k8s.io/x":   true,
		"own.agents.x-k8s.io/x":               true,
		"agents.x-k8s.io":                     false, // a name without a domain
		"notagents.x-k8s.io/x":                false,
		"agents.x-k8s.io.example.com/x":       false,
		"x-k8s.io/agents.x-k8s.io":            false,
		"k8s.io/x":                            false,
		"app":                                 false,
		"":                                    false,
		"example.com/agents.x-k8s.io/x":       false,
		"kubectl.kubernetes.io/restartedAt":   false,
	}
	for key, want := range tests {
		if got := apis.ReservedKey(key); got != want {
			t.Errorf("ReservedKey(%q): got %t, want %t", key, got, want)
		}
	}
}

func TestReservedLabels(t *testing.T) {
	tests := map[string]struct {
		key, value string
		want       bool
	}{
		"a key of ours, whatever its value":              {"agents.x-k8s.io/x", "", true},
		"the router's identity, which policies let in":   {"app", "sandbox-router", true},
		"an application of one's own is free":            {"app", "web", false},
		"an application without a name is free":          {"app", "", false},
		"the router's name under another key is free":    {"component", "sandbox-router", false},
		"the router's name under a domain's app is free": {"example.com/app", "sandbox-router", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := apis.ReservedLabel(test.key, test.value); got != test.want {
				t.Errorf("ReservedLabel(%q, %q): got %t, want %t", test.key, test.value, got, test.want)
			}
		})
	}
}

func TestReservedDomains(t *testing.T) {
	tests := map[string]string{
		"kubernetes.io/x": "kubernetes.io",
		"kubectl.kubernetes.io/last-applied-configuration": "kubernetes.io",
		"k8s.io/x":                    "k8s.io",
		"a.b.k8s.io/x":                "k8s.io",
		"agents.x-k8s.io/x":           "agents.x-k8s.io",
		"extensions.agents.x-k8s.io/": "agents.x-k8s.io",
		"kubernetes.io":               "",
		"mykubernetes.io/x":           "",
		"x-k8s.io/x":                  "",
		"example.com/kubernetes.io/x": "",
		"team":                        "",
		"":                            "",
	}
	for key, want := range tests {
		if got := apis.ReservedDomain(key); got != want {
			t.Errorf("ReservedDomain(%q): got %q, want %q", key, got, want)
		}
	}
}
