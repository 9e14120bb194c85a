// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"slices"
	"strings"
	"testing"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// The names of these two templates have the same hash, so their policies would select the same Pods.
const (
	theirs = "costarring"
	alike  = "liquid"
)

func templateNamed(name string) *extensionsv1beta1.SandboxTemplate {
	return builders.Template(name, builders.WithUID(types.UID(name+"-uid")))
}

// policyOf returns the policy of a template, as it was created at a second.
func policyOf(template string, second int64) *networkingv1.NetworkPolicy {
	p := buildPolicy(templateNamed(template), nil, []string{"system"})
	p.CreationTimestamp = metav1.Unix(second, 0)
	return p
}

func TestOfTwoPoliciesThatSelectTheSamePodsTheOlderOneStays(t *testing.T) {
	foreign := policyOf(theirs, 1)
	makeForeign(foreign)
	tests := map[string]struct {
		objects []client.Object
		writes  []string
		event   string
		again   time.Duration
	}{
		"another template's policy was first: none is created": {
			objects: []client.Object{policyOf(theirs, 1)}, event: "Warning NetworkPolicyRefused", again: waits.Blocked,
		},
		"another template's policy is older: this one is deleted": {
			objects: []client.Object{policyOf(theirs, 1), policyOf(alike, 2)}, writes: []string{"delete"},
		},
		"another template's policy is younger: this one stays": {
			objects: []client.Object{policyOf(theirs, 3), policyOf(alike, 2)},
		},
		"of two policies of one second, the name decides": {
			objects: []client.Object{policyOf(theirs, 1), policyOf(alike, 1)}, writes: []string{"delete"},
		},
		"a policy with the label that is not a template's does not count": {
			objects: []client.Object{foreign}, writes: []string{"create"},
		},
		"a policy of another hash does not count": {
			objects: []client.Object{policyOf("python", 1)}, writes: []string{"create"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.objects...)
			again := w.reconcile(templateNamed(alike))
			if event := w.event(); again != tt.again || !slices.Equal(w.writes, tt.writes) ||
				!strings.HasPrefix(event, tt.event) || (tt.event == "") != (event == "") {
				t.Errorf("again in %s, writes %v, event %q", again, w.writes, event)
			}
		})
	}
}

func TestATemplateWithoutAPolicyOfItsOwnNamesTheOther(t *testing.T) {
	w := newWorld(t, policyOf(theirs, 1))
	w.reconcile(templateNamed(alike))
	if event := w.event(); !strings.Contains(event, `NetworkPolicy "costarring-network-policy" of another SandboxTemplate`) {
		t.Errorf("event %q", event)
	}
}
