// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// with returns a fake API server with these objects. NewSimpleClientset would store Sandboxes under a plural that it
// guesses.
func with(t *testing.T, objects ...runtime.Object) *fake.Clientset {
	t.Helper()
	client := fake.NewSimpleClientset()
	for _, object := range objects {
		add(t, client, object)
	}
	return client
}

func add(t *testing.T, client *fake.Clientset, object runtime.Object) {
	t.Helper()
	resource := agentsv1beta1.SchemeGroupVersion.WithResource("sandboxes")
	if _, ok := object.(*extensionsv1beta1.SandboxClaim); ok {
		resource = extensionsv1beta1.SchemeGroupVersion.WithResource("sandboxclaims")
	}
	if err := client.Tracker().Create(resource, object, object.(metav1.Object).GetNamespace()); err != nil {
		t.Fatal(err)
	}
}

// served makes the fake API server serve claims.
func served(client *fake.Clientset) *fake.Clientset {
	client.Resources = []*metav1.APIResourceList{{GroupVersion: "extensions.agents.x-k8s.io/v1beta1"}}
	return client
}

// filled returns a book that has what the client has.
func filled(t *testing.T, client *fake.Clientset, namespaces ...string) *Book {
	t.Helper()
	b, err := New(client, namespaces)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx, clock.RealClock{}, logr.Discard()) }()
	t.Cleanup(func() { cancel(); <-done })
	if !cache.WaitForCacheSync(ctx.Done(), b.HasSynced) {
		t.Fatal("the book was not filled")
	}
	return b
}

func status(ips ...string) builders.SandboxOption {
	return builders.WithSandboxStatus(agentsv1beta1.SandboxStatus{PodIPs: ips})
}

func bound(sandbox, uid string) builders.ClaimOption {
	return claimWith(func(c *extensionsv1beta1.SandboxClaim) {
		c.Status.SandboxStatus = extensionsv1beta1.SandboxStatus{Name: sandbox, UID: types.UID(uid)}
	})
}

// claimWith returns an option for a claim out of one for its metadata.
func claimWith(change func(*extensionsv1beta1.SandboxClaim)) builders.ClaimOption {
	return builders.Meta(func(o metav1.Object) { change(o.(*extensionsv1beta1.SandboxClaim)) })
}

// world has a Sandbox "box", a claim "warm" with the Sandbox "pool-1", a claim "cold" with a Sandbox of its name, a
// claim "new" without one, and objects that lie.
func world() []runtime.Object {
	warm := builders.Claim("warm", "t", builders.WithUID("c-warm"), bound("pool-1", "s-pool-1"))
	cold := builders.Claim("cold", "t", builders.WithUID("c-cold"), bound("cold", ""))
	return []runtime.Object{
		builders.Sandbox("box", builders.WithUID("s-box"), status("10.0.0.1", "fd00::1")),
		warm, builders.Sandbox("pool-1", builders.WithUID("s-pool-1"), builders.OwnedBy(warm), status("10.0.0.2")),
		cold, builders.Sandbox("cold", builders.WithUID("s-cold"), builders.OwnedBy(cold)),
		builders.Claim("new", "t", builders.WithUID("c-new")),
		builders.Claim("thief", "t", builders.WithUID("c-thief"), bound("pool-1", "s-pool-1")),
		builders.Claim("other", "t", builders.WithUID("c-other"), bound("orphan", "s-before")),
		builders.Sandbox("orphan", builders.WithUID("s-orphan"), builders.OwnedBy(builders.Claim("other", "t",
			builders.WithUID("c-other")))),
		builders.Sandbox("liar", builders.WithUID("s-liar"), builders.OwnedBy(warm)),
		builders.Sandbox("box", builders.WithUID("s-box-b"), builders.InNamespace("team-b"), status("10.0.0.9")),
		builders.Sandbox("cold", builders.WithUID("s-cold-b"), builders.InNamespace("team-b"), builders.OwnedBy(cold)),
	}
}

func TestWhatAnAddressLeadsTo(t *testing.T) {
	b := filled(t, served(with(t, world()...)))
	tests := map[string]struct {
		namespace, name string
		uid             types.UID
		sandbox, claim  types.UID // both empty: nothing
	}{
		"a Sandbox by its name":                            {name: "box", sandbox: "s-box"},
		"one of the same name in another namespace":        {namespace: "team-b", name: "box", sandbox: "s-box-b"},
		"a claim leads to its warm Sandbox":                {name: "warm", sandbox: "s-pool-1", claim: "c-warm"},
		"a warm Sandbox by its name has the claim":         {name: "pool-1", sandbox: "s-pool-1", claim: "c-warm"},
		"a claim without the UID of its Sandbox":           {name: "cold", sandbox: "s-cold", claim: "c-cold"},
		"a claim without a Sandbox":                        {name: "new", claim: "c-new"},
		"a claim's status alone does not take a Sandbox":   {name: "thief", claim: "c-thief"},
		"a claim of a Sandbox that was made anew has none": {name: "other", claim: "c-other"},
		"an owner reference alone does not make a claim":   {name: "liar", sandbox: "s-liar"},
		"the UID of a Sandbox":                             {name: "box", uid: "s-box", sandbox: "s-box"},
		"the UID of a Sandbox under the name of its claim": {name: "warm", uid: "s-pool-1", sandbox: "s-pool-1",
			claim: "c-warm"},
		"the UID of a claim": {name: "warm", uid: "c-warm", sandbox: "s-pool-1",
			claim: "c-warm"},
		"the UID of a claim under the name of its Sandbox": {name: "pool-1", uid: "c-warm", sandbox: "s-pool-1",
			claim: "c-warm"},
		"the UID of one that was there before":              {name: "box", uid: "s-before"},
		"the UID of another one":                            {name: "box", uid: "s-pool-1"},
		"the UID of one of that name in another namespace":  {name: "box", uid: "s-box-b"},
		"the UID of a claim of that name in another one":    {namespace: "team-b", name: "warm", uid: "c-warm"},
		"an owner in another namespace is no claim":         {namespace: "team-b", name: "cold", sandbox: "s-cold-b"},
		"the UID of a claim that has another Sandbox":       {name: "box", uid: "c-warm"},
		"an unknown name":                                   {name: "none"},
		"an unknown namespace":                              {namespace: "team-c", name: "box"},
		"a name with a slash leads into no other namespace": {namespace: "", name: "team-b/box"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := header.Address{Namespace: tt.namespace, Name: tt.name, UID: tt.uid}
			if a.Namespace == "" {
				a.Namespace = "default"
			}
			found, ok := b.Find(a)
			if ok != (tt.sandbox != "" || tt.claim != "") {
				t.Fatalf("found %v: %+v", ok, found)
			}
			if ok {
				check(t, found, tt.sandbox, tt.claim)
			}
			// The API server says the same to who asks it.
			live, ok, err := NewLookup(b, clocktesting.NewFakePassiveClock(time.Unix(0, 0))).Find(t.Context(), a)
			if err != nil || ok != (tt.sandbox != "" || tt.claim != "") {
				t.Fatalf("live: %v, %v: %+v", ok, err, live)
			}
			if ok {
				check(t, live, tt.sandbox, tt.claim)
			}
		})
	}
}

func check(t *testing.T, is Target, sandbox, claim types.UID) {
	t.Helper()
	if (is.Sandbox == nil) != (sandbox == "") || sandbox != "" && is.Sandbox.UID != sandbox {
		t.Errorf("Sandbox %+v, want %q", is.Sandbox, sandbox)
	}
	if (is.Claim == nil) != (claim == "") || claim != "" && is.Claim.UID != claim {
		t.Errorf("claim %+v, want %q", is.Claim, claim)
	}
}

func TestABookOfSomeNamespacesKnowsNoOther(t *testing.T) {
	b := filled(t, served(with(t, world()...)), "team-b")
	if _, ok := b.Find(header.Address{Namespace: "team-b", Name: "box"}); !ok || b.Size() != 2 {
		t.Errorf("found %v of %d", ok, b.Size())
	}
	box := header.Address{Namespace: "default", Name: "box"}
	if found, ok := b.Find(box); ok {
		t.Errorf("found %+v", found)
	}
	if found, ok, err := NewLookup(b, clocktesting.NewFakePassiveClock(time.Unix(0, 0))).Find(t.Context(), box); ok ||
		err != nil {
		t.Errorf("looked up %+v, %v", found, err)
	}
}

func TestAClusterWithoutClaims(t *testing.T) {
	b := filled(t, with(t, builders.Sandbox("box", builders.WithUID("s-box"))))
	if found, ok := b.Find(header.Address{Namespace: "default", Name: "box"}); !ok || found.Sandbox.UID != "s-box" {
		t.Errorf("found %+v", found)
	}
}

func TestStates(t *testing.T) {
	since := time.Unix(0, 0)
	ready := builders.WithCondition(apis.ConditionReady, true, apis.ReasonDependenciesReady, "", since)
	finished := builders.WithCondition(apis.ConditionFinished, true, apis.ReasonPodSucceeded, "", since)
	suspended := agentsv1beta1.OperatingModeSuspended
	tests := map[string]struct {
		sandbox *agentsv1beta1.Sandbox
		want    State
	}{
		"a new one starts":                 {builders.Sandbox("a"), Starting},
		"a ready one":                      {builders.Sandbox("a", ready), Ready},
		"one without replicas":             {builders.Sandbox("a", builders.WithReplicas(0), ready), Suspended},
		"one that finished":                {builders.Sandbox("a", finished), Finished},
		"a finished one that is suspended": {builders.Sandbox("a", builders.WithReplicas(0), finished), Suspended},
		"an expired one, suspended or not": {builders.Sandbox("a", builders.WithReplicas(0),
			builders.WithCondition(apis.ConditionReady, false, apis.ReasonSandboxExpired, "", since)), Expired},
		"one in the mode Suspended": {builders.Sandbox("a", ready, builders.Meta(func(o metav1.Object) {
			o.(*agentsv1beta1.Sandbox).Spec.OperatingMode = &suspended
		})), Suspended},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := newSandbox(tt.sandbox).State; got != tt.want {
				t.Errorf("state %d, want %d", got, tt.want)
			}
		})
	}
}

func TestARecordKeepsWhatTheRouterNeedsAndNothingElse(t *testing.T) {
	s := builders.Sandbox("box", builders.WithUID("s"), builders.WithLabel("a", "b"),
		builders.WithAnnotation("agents.x-k8s.io/pod-name", "pod"),
		builders.WithSandboxStatus(agentsv1beta1.SandboxStatus{Service: "box", PodIPs: []string{"::ffff:10.0.0.1", "x"}}))
	is := newSandbox(s)
	if is.Name != "box" || is.PodName != "pod" || is.Service != "box" || is.Labels != nil || is.Annotations != nil ||
		len(is.Addresses) != 1 || is.Addresses[0] != netip.MustParseAddr("10.0.0.1") {
		t.Errorf("record %+v", is)
	}
	member := builders.Sandbox("member", builders.OwnedBy(builders.Pool("pool", "t", builders.WithUID("p"))))
	if is := newSandbox(member); is.Claim != "" {
		t.Errorf("a pool counts as the claim %s", is.Claim)
	}
	again, err := recordSandbox(is) // client-go may do so
	if err != nil || again != any(is) {
		t.Errorf("again %+v, %v", again, err)
	}
}
