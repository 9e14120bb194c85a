// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

func TestAWarmClaimIsReadyAfterTwoWritesAndCostsAThirdLater(t *testing.T) {
	w := newWorld(
		t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")),
		newMember("p-b", newPool("p"), olderBy(1)),
	)
	if _, err := w.reconcile("c"); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(
		[]string{"patch Sandbox", "patch SandboxClaim/status", "patch SandboxClaim"}, w.writes,
	); diff != "" {
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
	if claim.Labels[apis.LabelAssignedSandboxName] != "p-b" || claim.AssignedSandbox() != "p-b" ||
		claim.Annotations[apis.AnnotationControllerFirstObservedAt] != "2026-04-13T12:00:00Z" {
		t.Errorf("record: %v %v", claim.Labels, claim.Annotations)
	}
	want := map[string]string{
		apis.LabelClaimUID:               "c-uid",
		apis.LabelLaunchType:             apis.LaunchTypeWarm,
		apis.LabelSandboxTemplateRefHash: naming.Hash("python"),
	}
	if diff := gocmp.Diff(want, s.Labels); diff != "" || ownerNames(s) != "SandboxClaim/c" {
		t.Errorf("owner %s, labels (-want +got):\n%s", ownerNames(s), diff)
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

// events returns the type and reason of the events since the last call.
func (w *world) events() (all []string) {
	for len(w.recorder.Events) > 0 {
		all = append(all, strings.Join(strings.Fields(<-w.recorder.Events)[:2], " "))
	}
	return all
}

func TestManyAdoptionsInANamespaceRecordSomeEvents(t *testing.T) {
	objects := []client.Object{newTemplate(), newPool("p")}
	for i := range 15 {
		objects = append(objects, newClaim(fmt.Sprint("c", i)), newMember(fmt.Sprint("p-", i), newPool("p")))
	}
	w := newWorld(t, objects...)
	for i := range 15 {
		if _, err := w.reconcile(fmt.Sprint("c", i)); err != nil {
			t.Fatal(err)
		}
		if w.claim(fmt.Sprint("c", i)).Status.SandboxStatus.Name == "" {
			t.Errorf("the status of claim %d names no Sandbox", i)
		}
		want := 0
		if i < adoptionsAtOnce {
			want = 1
		}
		if got := len(w.events()); got != want {
			t.Errorf("claim %d: %d events, want %d", i, got, want)
		}
	}
}

func TestAnswersToTheHandOver(t *testing.T) {
	conflict := apierrors.NewConflict(
		agentsv1beta1.SchemeGroupVersion.WithResource("sandboxes").GroupResource(), "p-a", errors.New("changed"),
	)
	ill := apierrors.NewInternalError(errors.New("ill"))
	tests := map[string]struct {
		// before runs before the first patch of the Sandbox.
		before func(*world)
		// answer replaces the API server's answer to each patch of the Sandbox, if not nil.
		answer error
		// done is the patch, counted from 1, that is carried out although the answer is an error.
		done        int
		wantReason  string
		wantKnown   string // the member that is remembered or recorded
		wantOwner   string // of p-a
		wantPatches int
		wantErr     bool
		wantKept    int // members in the queue after
	}{
		"its status moved: it is tried once more": {
			before: func(w *world) { w.updateSandbox("p-a", notReady) }, wantReason: "DependenciesNotReady", wantKnown: "p-a",
			wantOwner: "SandboxClaim/c", wantPatches: 2, wantKept: 1,
		},
		"it was deleted: it is forgotten": {
			before: func(w *world) { w.deleteSandbox("p-a") }, wantReason: "AdoptionConflict", wantPatches: 1, wantKept: 1,
		},
		"another claim got it: it is forgotten": {
			before: func(w *world) {
				w.updateSandbox("p-a", func(s *agentsv1beta1.Sandbox) { owner.SetController(s, newClaim("other")) })
			},
			wantReason: "AdoptionConflict", wantOwner: "SandboxClaim/other", wantPatches: 1, wantKept: 1,
		},
		"it is ours already, by another operator: done": {
			before: func(w *world) {
				w.updateSandbox("p-a", func(s *agentsv1beta1.Sandbox) { owner.SetController(s, newClaim("c")) })
			},
			wantReason: "DependenciesReady", wantKnown: "p-a", wantOwner: "SandboxClaim/c", wantPatches: 1, wantKept: 1,
		},
		"it lost its address: it is forgotten": {
			before:      func(w *world) { w.updateSandbox("p-a", withoutIP) },
			wantReason:  "AdoptionConflict",
			wantOwner:   "SandboxWarmPool/p",
			wantPatches: 1,
			wantKept:    1,
		},
		"two conflicts: it is forgotten and stays a member": {
			answer: conflict, wantReason: "AdoptionConflict", wantOwner: "SandboxWarmPool/p", wantPatches: 2, wantKept: 2,
		},
		"a second conflict because another operator adopted it for us: done": {
			answer:      conflict,
			done:        2,
			wantReason:  "DependenciesReady",
			wantKnown:   "p-a",
			wantOwner:   "SandboxClaim/c",
			wantPatches: 2,
			wantKept:    1,
		},
		"a conflict with our own success: done": {
			answer:      conflict,
			done:        1,
			wantReason:  "DependenciesReady",
			wantKnown:   "p-a",
			wantOwner:   "SandboxClaim/c",
			wantPatches: 1,
			wantKept:    1,
		},
		"a server that is ill: the same member is tried again": {
			answer:      ill,
			wantReason:  "ReconcilerError",
			wantKnown:   "p-a",
			wantOwner:   "SandboxWarmPool/p",
			wantPatches: 1,
			wantErr:     true,
			wantKept:    2,
		},
		"a timeout of what was carried out: it is remembered": {
			answer:      context.DeadlineExceeded,
			done:        1,
			wantReason:  "ReconcilerError",
			wantKnown:   "p-a",
			wantOwner:   "SandboxClaim/c",
			wantPatches: 1,
			wantErr:     true,
			wantKept:    2,
		},
		"a claim that changed meanwhile is looked at again first": {
			before: func(w *world) {
				w.updateSandbox("p-a", notReady)
				w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) { c.Labels = map[string]string{"x": "y"} })
			},
			wantKnown: "p-a", wantOwner: "SandboxWarmPool/p", wantPatches: 1, wantKept: 2,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(
				t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p"), olderBy(1)),
				newMember("p-b", newPool("p")),
			)
			patches := 0
			w.onWrite = func(write string, do func() error) error {
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
			_, err := w.reconcile("c")
			claim := w.claim("c")
			reason := ""
			if ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady); ready != nil {
				reason = ready.Reason
			}
			known := cmp.Or(w.reconciler.memory.Adopting("c-uid"), claim.AssignedSandbox())
			if reason != tt.wantReason || known != tt.wantKnown || patches != tt.wantPatches || (err != nil) != tt.wantErr {
				t.Errorf("reason %q, known %q, %d patches, error %v", reason, known, patches, err)
			}
			if tt.wantOwner != "" && ownerNames(w.sandbox("p-a")) != tt.wantOwner {
				t.Errorf("p-a is of %s", ownerNames(w.sandbox("p-a")))
			}
			if ownerNames(w.sandbox("p-b")) != "SandboxWarmPool/p" {
				t.Error("another member was taken in the same pass")
			}
			if w.queue.Len() != tt.wantKept {
				t.Errorf("%d members in the queue, want %d", w.queue.Len(), tt.wantKept)
			}
			w.onWrite = nil
			w.syncQueue()
			w.settle()
			w.checkOneToOne()
			if got := w.claim("c"); got.Status.SandboxStatus.Name == "" || len(w.ownedBy("c-uid")) != 1 {
				t.Errorf("it does not heal: %+v", got.Status)
			}
		})
	}
}

func TestKilledBetweenAnyTwoWritesAndStartedAgain(t *testing.T) {
	scenarios := map[string]func() *world{
		"adoption": func() *world {
			return newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
		},
		"cold start": func() *world { return newWorld(t, newClaim("c"), newTemplate()) },
		"lost record": func() *world {
			return newWorld(t, newClaim("c", withAssignment("p-x")), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
		},
		"foreign record": func() *world {
			return newWorld(t, newClaim("c", withAssignment("p-x")), newTemplate(), newPool("p"), newMember("p-a", newPool("p")),
				newClaimed(newClaim("other"), newMember("p-x", newPool("p"))))
		},
		"mistake": func() *world { return newWorld(t, newClaim("c")) },
		"expiry": func() *world {
			return newWorld(
				t, newClaim("c", withAssignment("p-a"), withExpiry(extensionsv1beta1.ShutdownPolicyRetain)), newTemplate(),
				newClaimed(newClaim("c"), newMember("p-a", newPool("p"))),
			)
		},
		"deletion": func() *world {
			return newWorld(t, newClaim("c", withExpiry(extensionsv1beta1.ShutdownPolicyDelete)), newTemplate())
		},
	}
	for name, start := range scenarios {
		undisturbed := start()
		undisturbed.settle()
		want := undisturbed.snapshot()
		for n, reached := 1, true; reached; n++ {
			reached = false
			for _, after := range []bool{false, true} {
				w := start()
				reached = w.killedReconcile("c", n, after) || reached
				w.restart()
				w.settle()
				if diff := gocmp.Diff(want, w.snapshot()); diff != "" {
					t.Errorf("%s, killed at write %d (done: %v) (-undisturbed +got):\n%s", name, n, after, diff)
				}
			}
			if n > 10 {
				t.Fatalf("%s takes more than 10 writes", name)
			}
		}
	}
}
