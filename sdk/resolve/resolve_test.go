// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func sandbox(name string, change ...func(*agentsv1beta1.Sandbox)) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-of-" + name)},
	}
	for _, c := range change {
		c(s)
	}
	return s
}

func claim(name, sandbox string) *extensionsv1beta1.SandboxClaim {
	return &extensionsv1beta1.SandboxClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-of-claim-" + name)},
		Status:     extensionsv1beta1.SandboxClaimStatus{SandboxStatus: extensionsv1beta1.SandboxStatus{Name: sandbox}},
	}
}

func heldBy(c *extensionsv1beta1.SandboxClaim) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) {
		s.OwnerReferences = []metav1.OwnerReference{
			{Kind: apis.KindSandboxClaim, Name: c.Name, UID: c.UID, Controller: new(true)},
		}
	}
}

// pod returns a running Pod that the named Sandbox owns.
func pod(name, owner string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:      name,
			Namespace: "ns",
			Labels:    map[string]string{apis.LabelSandboxNameHash: naming.Hash(owner)},
			OwnerReferences: []metav1.OwnerReference{
				{Kind: apis.KindSandbox, Name: owner, UID: types.UID("uid-of-" + owner), Controller: new(true)},
			},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func unlabelled(p *corev1.Pod) { p.Labels = nil }

func foreign(p *corev1.Pod) { p.OwnerReferences = nil }

func ended(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }

func pending(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }

func suspended(s *agentsv1beta1.Sandbox) {
	s.Spec.Replicas = new(int32(0))
}

func resolver(refuse map[string]error, objects ...runtime.Object) *resolve.Resolver {
	cluster := fakecluster.New(objects...)
	for request, err := range refuse {
		verb, resource, _ := strings.Cut(request, " ")
		cluster.Refuse(verb, resource, err)
	}
	return resolve.New(cluster.Sandboxes, cluster.Kubernetes, clocktesting.NewFakePassiveClock(now))
}

var (
	notServed = fakecluster.NotServed()
	forbidden = fakecluster.Forbidden("get", apis.ResourceClaims, apis.GroupExtensions)
)

func TestObjects(t *testing.T) {
	held := claim("dev", "dev-x7k2p")
	tests := map[string]struct {
		ref     string
		objects []runtime.Object
		refuse  map[string]error
		want    string // claim, Sandbox and Pod
		cause   resolve.Cause
	}{
		"a name is a claim even if there is a Sandbox of that name": {
			ref:     "dev",
			objects: []runtime.Object{held, sandbox("dev-x7k2p", heldBy(held)), sandbox("dev"), pod("warm-1", "dev-x7k2p")},
			want:    "dev dev-x7k2p warm-1",
		},
		"a name without a claim is a Sandbox": {
			ref: "dev", objects: []runtime.Object{sandbox("dev"), pod("dev", "dev")}, want: "- dev dev",
		},
		"sandbox/NAME passes over a claim": {
			ref: "sandbox/dev", objects: []runtime.Object{held, sandbox("dev")}, want: "- dev -",
		},
		"a new claim has no Sandbox yet": {
			ref: "claim/dev", objects: []runtime.Object{claim("dev", "")}, want: "dev - -",
		},
		"a claim does not lead to another's Sandbox": {
			ref: "dev", objects: []runtime.Object{held, sandbox("dev-x7k2p", heldBy(claim("other", "")))}, want: "dev - -",
		},
		"without the extensions' CRDs Sandboxes work": {
			ref: "dev", objects: []runtime.Object{sandbox("dev")}, refuse: map[string]error{"get sandboxclaims": notServed},
			want: "- dev -",
		},
		"without permission to read claims Sandboxes work": {
			ref:     "dev",
			objects: []runtime.Object{sandbox("dev")},
			refuse:  map[string]error{"get sandboxclaims": forbidden},
			want:    "- dev -",
		},
		"a cluster without any CRDs says so": {
			ref:    "dev",
			refuse: map[string]error{"get sandboxclaims": notServed, "get sandboxes": notServed},
			cause:  resolve.NotInstalled,
		},
		"nothing of the name is an error": {ref: "dev", cause: resolve.NotFound},
		"a Pod leads to its Sandbox": {
			ref: "pod/p", objects: []runtime.Object{sandbox("dev"), pod("p", "dev")}, want: "- dev p",
		},
		"a Pod without a Sandbox is refused": {
			ref: "pod/p", objects: []runtime.Object{pod("p", "dev", foreign)}, cause: resolve.WrongKind,
		},
		"a pool is no sandbox": {ref: "pool/p", cause: resolve.WrongKind},
		"a foreign Pod of the Sandbox's name is no Pod": {
			ref: "dev", objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", foreign)}, want: "- dev -",
		},
		"an owned Pod that lost its label is found by its name": {
			ref: "dev", objects: []runtime.Object{sandbox("dev"), pod("dev", "dev", unlabelled)}, want: "- dev dev",
		},
		"of two owned Pods the one that has not ended is taken": {
			ref: "dev", objects: []runtime.Object{sandbox("dev"), pod("a", "dev", ended), pod("b", "dev")}, want: "- dev b",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ref, err := resolve.Parse(tt.ref)
			if err != nil {
				t.Fatal(err)
			}
			target, err := resolver(tt.refuse, tt.objects...).Objects(t.Context(), "ns", ref)
			if tt.cause != "" {
				if !resolve.Is(err, tt.cause) {
					t.Fatalf("error %v is not %s", err, tt.cause)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := []string{"-", "-", "-"}
			if target.Claim != nil {
				got[0] = target.Claim.Name
			}
			if target.Sandbox != nil {
				got[1] = target.Sandbox.Name
			}
			if target.Pod != nil {
				got[2] = target.Pod.Name
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", strings.Join(got, " "), tt.want)
			}
		})
	}
}

func TestAbsenceNamesTheClaimsThatCouldNotBeSearched(t *testing.T) {
	_, err := resolver(map[string]error{"get sandboxclaims": forbidden}).Objects(
		t.Context(), "ns", resolve.Ref{Name: "dev"},
	)
	if err == nil || !strings.Contains(err.Error(), "you may not get sandboxclaims."+apis.GroupExtensions) {
		t.Errorf("got %v", err)
	}
}
