// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestTheDefaultPolicy(t *testing.T) {
	hash := naming.Hash("python")
	peer := func(namespace string) networkingv1.NetworkPolicyPeer {
		return networkingv1.NetworkPolicyPeer{
			PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"app": "sandbox-router"}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
		}
	}
	want := networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"agents.x-k8s.io/sandbox-template-ref-hash": hash}},
		PolicyTypes: []networkingv1.PolicyType{"Ingress", "Egress"},
		Ingress: []networkingv1.NetworkPolicyIngressRule{
			{From: []networkingv1.NetworkPolicyPeer{peer("one"), peer("two")}},
		},
		Egress: []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{
			{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{
				"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "168.63.129.16/32",
			}}},
			{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: []string{"fc00::/7", "fe80::/10"}}},
		}}},
	}
	got := buildPolicy(newTemplate(), nil, []string{"one", "two"})
	if diff := cmp.Diff(want, got.Spec); diff != "" {
		t.Error(diff)
	}
	if got.Name != "python-network-policy" || len(got.OwnerReferences) > 0 ||
		got.Annotations["agents.x-k8s.io/sandbox-template-uid"] != "template-uid" {
		t.Errorf("metadata %+v", got.ObjectMeta)
	}
}

func TestWhichRoutersAPolicyLetsIn(t *testing.T) {
	tests := map[string]struct {
		routers Routers
		want    []string
	}{
		"those beside the operator": {Routers{Everywhere: []string{"system"}}, []string{"system"}},
		"that of its own namespace too": {
			Routers{Everywhere: []string{"system"}, Tenants: []string{"team-b", "team-a"}}, []string{"system", "team-a"},
		},
		"none of another tenant's namespace": {
			Routers{Everywhere: []string{"system"}, Tenants: []string{"team-b"}}, []string{"system"},
		},
		"each once, in an order that stays": {
			Routers{Everywhere: []string{"z", "team-a", "b", "z"}, Tenants: []string{"team-a"}}, []string{"b", "team-a", "z"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.routers.of("team-a"); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestATenantsRouterIsLetInByThePoliciesOfItsNamespaceAlone(t *testing.T) {
	w := newWorld(t)
	w.reconciler.routers.Tenants = []string{builders.Namespace}
	w.reconcile(newTemplate())
	elsewhere := newTemplate()
	elsewhere.Namespace = "elsewhere"
	w.reconcile(elsewhere)
	for namespace, want := range map[string][]string{
		builders.Namespace: {"system", builders.Namespace}, "elsewhere": {"system"},
	} {
		var p networkingv1.NetworkPolicy
		key := client.ObjectKey{Namespace: namespace, Name: "python-network-policy"}
		if err := w.store.Get(t.Context(), key, &p); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, peer := range p.Spec.Ingress[0].From {
			got = append(got, peer.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"])
		}
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("in %s: %v, want %v", namespace, got, want)
		}
	}
}
