// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"slices"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestOnlyPoliciesOfTemplatesGoWithTheDefinitions(t *testing.T) {
	policy := func(namespace, name string, change func(*networkingv1.NetworkPolicy)) *networkingv1.NetworkPolicy {
		p := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: map[string]string{"agents.x-k8s.io/sandbox-template-ref-hash": "x"},
			Annotations: map[string]string{"agents.x-k8s.io/sandbox-template-uid": "uid"},
		}}
		if change != nil {
			change(p)
		}
		return p
	}
	clients := fake.NewClientset(policy("a", "one-network-policy", nil), policy("b", "two-network-policy", nil),
		policy("a", "taken-over", func(p *networkingv1.NetworkPolicy) { p.Annotations = nil }),
		policy("a", "controlled", func(p *networkingv1.NetworkPolicy) { builders.OwnedByStranger()(p) }),
		policy("a", "unlabelled", func(p *networkingv1.NetworkPolicy) { p.Labels = nil }))
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	r := &remover{kubernetes: clients, streams: streams}
	for range 2 { // the second call does nothing and prints nothing
		if err := r.deletePolicies(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := clients.NetworkingV1().NetworkPolicies("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list.Items {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	want := []string{"controlled", "taken-over", "unlabelled"}
	if !slices.Equal(names, want) || out.String() != "2 NetworkPolicies of templates deleted\n" {
		t.Errorf("%v are left, the output is %q", names, out)
	}
}
