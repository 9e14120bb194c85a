// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

func TestAWarmClaimCostsThreeWritesAndItsSandboxOne(t *testing.T) {
	w := newWorld(t, claimOf("c"), template(), pool("p"), member("p-a", pool("p")), member("p-b", pool("p"), older(1)))
	if _, err := w.pass("c"); err != nil {
		t.Fatal(err)
	}
	// The third write of the claim is its event.
	if diff := cmp.Diff([]string{"patch SandboxClaim", "patch Sandbox", "patch SandboxClaim/status"}, w.writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if got := w.events(); !slices.Equal(got, []string{"Normal SandboxAdopted"}) {
		t.Errorf("events: %v", got)
	}
	claim, s := w.claim("c"), w.sandbox("p-b")
	if claim.Status.SandboxStatus.Name != "p-b" || !apis.ConditionTrue(claim.Status.Conditions, apis.ConditionReady) ||
		claim.Status.FirstReadyTime == nil || !slices.Equal(claim.Status.SandboxStatus.PodIPs, []string{"10.0.0.9"}) {
		t.Errorf("status: %+v", claim.Status)
	}
	if claim.Labels[apis.LabelAssignedSandboxName] != "p-b" || noteOf(claim) != "p-b" ||
		claim.Annotations[apis.AnnotationControllerFirstObservedAt] != "2026-04-13T12:00:00Z" {
		t.Errorf("record: %v %v", claim.Labels, claim.Annotations)
	}
	want := map[string]string{
		apis.LabelClaimUID: "c-uid", apis.LabelLaunchType: apis.LaunchTypeWarm, apis.LabelSandboxTemplateRefHash: naming.Hash("python"),
	}
	if diff := cmp.Diff(want, s.Labels); diff != "" || ownerOf(s) != "SandboxClaim/c" {
		t.Errorf("owner %s, labels (-want +got):\n%s", ownerOf(s), diff)
	}
	if s.Generation != 1 {
		t.Errorf("the adoption changed the spec: generation %d", s.Generation)
	}
	w.writes = nil
	w.settle()
	if len(w.writes) > 0 || w.queue.Len() != 1 {
		t.Errorf("afterwards: writes %v, %d members", w.writes, w.queue.Len())
	}
}

// events lists the events so far, type and reason.
func (w *world) events() (all []string) {
	for len(w.recorder.Events) > 0 {
		all = append(all, strings.Join(strings.Fields(<-w.recorder.Events)[:2], " "))
	}
	return all
}

func TestAnswersToTheHandOver(t *testing.T) {
	conflict := apierrors.NewConflict(agentsv1beta1.SchemeGroupVersion.WithResource("sandboxes").GroupResource(), "p-a", errors.New("changed"))
	ill := apierrors.NewInternalError(errors.New("ill"))
	tests := map[string]struct {
		// before runs in the place of the first patch of the Sandbox.
		before func(*world)
		// answer is that of each patch of the Sandbox; nil: the server's own.
		answer error
		// done: the server, or another operator, carries out this patch (the first is 1) although the answer is an error.
		done        int
		wantReason  string
		wantNote    string
		wantOwner   string // of p-a
		wantPatches int
		wantErr     bool
		wantKept    int // members in the queue after
	}{
		"its status moved: it is tried once more": {
			before: func(w *world) { w.change("p-a", notReady) }, wantReason: "DependenciesNotReady", wantNote: "p-a",
			wantOwner: "SandboxClaim/c", wantPatches: 2, wantKept: 1,
		},
		"it was deleted: the record goes": {
			before: func(w *world) { w.remove("p-a") }, wantReason: "AdoptionConflict", wantPatches: 1, wantKept: 1,
		},
		"another claim got it: the record goes": {
			before:     func(w *world) { w.change("p-a", func(s *agentsv1beta1.Sandbox) { own(s, claimOf("other")) }) },
			wantReason: "AdoptionConflict", wantOwner: "SandboxClaim/other", wantPatches: 1, wantKept: 1,
		},
		"it is ours already, by another operator: done": {
			before:     func(w *world) { w.change("p-a", func(s *agentsv1beta1.Sandbox) { own(s, claimOf("c")) }) },
			wantReason: "DependenciesReady", wantNote: "p-a", wantOwner: "SandboxClaim/c", wantPatches: 1, wantKept: 1,
		},
		"it lost its address: the record goes": {
			before: func(w *world) { w.change("p-a", withoutIP) }, wantReason: "AdoptionConflict", wantOwner: "SandboxWarmPool/p",
			wantPatches: 1, wantKept: 1,
		},
		"two conflicts: the record goes and the member stays": {
			answer: conflict, wantReason: "AdoptionConflict", wantOwner: "SandboxWarmPool/p", wantPatches: 2, wantKept: 2,
		},
		"a second conflict because another operator carried our record out: done": {
			answer: conflict, done: 2, wantReason: "DependenciesReady", wantNote: "p-a", wantOwner: "SandboxClaim/c", wantPatches: 2, wantKept: 1,
		},
		"a conflict with our own success: done": {
			answer: conflict, done: 1, wantReason: "DependenciesReady", wantNote: "p-a", wantOwner: "SandboxClaim/c", wantPatches: 1, wantKept: 1,
		},
		"a server that is ill: the record stands and the same member is tried again": {
			answer: ill, wantReason: "ReconcilerError", wantNote: "p-a", wantOwner: "SandboxWarmPool/p", wantPatches: 1, wantErr: true, wantKept: 2,
		},
		"a timeout of what was carried out: the record stands": {
			answer: context.DeadlineExceeded, done: 1, wantReason: "ReconcilerError", wantNote: "p-a", wantOwner: "SandboxClaim/c",
			wantPatches: 1, wantErr: true, wantKept: 2,
		},
		"a claim that changed meanwhile is not served from an old record": {
			before: func(w *world) {
				w.change("p-a", notReady)
				w.edit("c", func(c *extensionsv1beta1.SandboxClaim) { c.Annotations["x"] = "y" })
			},
			wantNote: "p-a", wantOwner: "SandboxWarmPool/p", wantPatches: 1, wantKept: 2,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, claimOf("c"), template(), pool("p"), member("p-a", pool("p"), older(1)), member("p-b", pool("p")))
			patches := 0
			w.intercept = func(write string, do func() error) error {
				if write != "patch Sandbox" {
					return do()
				}
				patches++
				if tt.before != nil && patches == 1 {
					tt.before(w)
				}
				if tt.answer == nil {
					return do()
				}
				if patches == tt.done {
					_ = do()
				}
				return tt.answer
			}
			_, err := w.pass("c")
			claim := w.claim("c")
			reason := ""
			if ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady); ready != nil {
				reason = ready.Reason
			}
			if reason != tt.wantReason || noteOf(claim) != tt.wantNote || patches != tt.wantPatches || (err != nil) != tt.wantErr {
				t.Errorf("reason %q, note %q, %d patches, error %v", reason, noteOf(claim), patches, err)
			}
			if tt.wantOwner != "" && ownerOf(w.sandbox("p-a")) != tt.wantOwner {
				t.Errorf("p-a is of %s", ownerOf(w.sandbox("p-a")))
			}
			if ownerOf(w.sandbox("p-b")) != "SandboxWarmPool/p" {
				t.Error("another member was taken in the same pass")
			}
			if w.queue.Len() != tt.wantKept {
				t.Errorf("%d members in the queue, want %d", w.queue.Len(), tt.wantKept)
			}
			w.intercept = nil
			w.watch()
			w.settle()
			w.oneToOne()
			if got := w.claim("c"); got.Status.SandboxStatus.Name == "" || len(w.owned("c-uid")) != 1 {
				t.Errorf("it does not heal: %+v", got.Status)
			}
		})
	}
}

// change edits a Sandbox as somebody else does, status included.
func (w *world) change(name string, with change) {
	w.t.Helper()
	s := w.sandbox(name)
	with(s)
	status := s.Status
	if err := w.store.Update(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
	s.Status = status
	if err := w.store.Status().Update(context.Background(), s); client.IgnoreNotFound(err) != nil { // it went with its finalizer
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := w.store.Delete(context.Background(), w.sandbox(name)); err != nil {
		w.t.Fatal(err)
	}
}

// edit changes a claim as a user does.
func (w *world) edit(name string, with func(*extensionsv1beta1.SandboxClaim)) {
	w.t.Helper()
	claim := w.claim(name)
	with(claim)
	claim.Generation++
	if err := w.store.Update(context.Background(), claim); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) create(objects ...client.Object) {
	w.t.Helper()
	for _, o := range objects {
		if err := w.store.Create(context.Background(), o); err != nil {
			w.t.Fatal(err)
		}
	}
}

// owned lists the Sandboxes of a claim by its UID.
func (w *world) owned(uid string) (names []string) {
	for _, s := range w.sandboxes() {
		for _, ref := range s.OwnerReferences {
			if string(ref.UID) == uid {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// oneToOne: a Sandbox has one owner, a claim has one Sandbox, and the two agree about it.
func (w *world) oneToOne() {
	w.t.Helper()
	for _, s := range w.sandboxes() {
		if len(s.OwnerReferences) != 1 {
			w.t.Errorf("Sandbox %s has the owners %s", s.Name, ownerOf(&s))
		}
	}
	served := map[string]string{}
	for _, c := range w.claims() {
		owned := w.owned(string(c.UID))
		if len(owned) > 1 {
			w.t.Errorf("claim %s owns %v", c.Name, owned)
		}
		name := c.Status.SandboxStatus.Name
		if name == "" {
			continue
		}
		if other := served[name]; other != "" {
			w.t.Errorf("claims %s and %s both have Sandbox %s", other, c.Name, name)
		}
		served[name] = c.Name
		if len(owned) == 1 && owned[0] != name {
			w.t.Errorf("claim %s says %s and owns %v", c.Name, name, owned)
		}
	}
}

func TestKilledBetweenAnyTwoWritesAndStartedAgain(t *testing.T) {
	lives := map[string]func() *world{
		"adoption":   func() *world { return newWorld(t, claimOf("c"), template(), pool("p"), member("p-a", pool("p"))) },
		"cold start": func() *world { return newWorld(t, claimOf("c"), template()) },
		"lost record": func() *world {
			return newWorld(t, claimOf("c", noted("p-x")), template(), pool("p"), member("p-a", pool("p")))
		},
		"foreign record": func() *world {
			return newWorld(t, claimOf("c", noted("p-x")), template(), pool("p"), member("p-a", pool("p")),
				heldBy(claimOf("other"), member("p-x", pool("p"))))
		},
		"mistake": func() *world { return newWorld(t, claimOf("c")) },
		"expiry": func() *world {
			return newWorld(t, claimOf("c", noted("p-a"), over(extensionsv1beta1.ShutdownPolicyRetain)), template(), heldBy(claimOf("c"), member("p-a", pool("p"))))
		},
		"deletion": func() *world {
			return newWorld(t, claimOf("c", over(extensionsv1beta1.ShutdownPolicyDelete)), template())
		},
	}
	for name, life := range lives {
		undisturbed := life()
		undisturbed.settle()
		want := undisturbed.picture()
		for n, reached := 1, true; reached; n++ {
			reached = false
			for _, after := range []bool{false, true} {
				w := life()
				reached = w.killedPass("c", n, after) || reached
				w.restart()
				w.settle()
				if diff := cmp.Diff(want, w.picture()); diff != "" {
					t.Errorf("%s, killed at write %d (done: %v) (-undisturbed +got):\n%s", name, n, after, diff)
				}
			}
			if n > 10 {
				t.Fatalf("%s takes more than 10 writes", name)
			}
		}
	}
}
