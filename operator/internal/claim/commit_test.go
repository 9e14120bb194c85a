// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// leadsFor lets the operator lead for some time already, so that no other one has seen new claims.
func (w *world) leadsFor(d time.Duration) {
	w.reconciler.recordLeading(w.clock.Now().Add(-d))
}

func twoMembers(t *testing.T) *world {
	return newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p"), olderBy(1)),
		newMember("p-b", newPool("p")))
}

func TestWhileClaimsWaitAWarmClaimCostsTwoWrites(t *testing.T) {
	w := twoMembers(t)
	w.leadsFor(time.Hour)
	w.gate.ClaimArrived("other-uid")
	var reads []string
	w.beforeRead = func(read string) { reads = append(reads, read) }
	hold, err := w.reconcile("c")
	if err != nil || hold <= 0 {
		t.Fatalf("%v, %v", hold, err)
	}
	if diff := cmp.Diff([]string{"patch Sandbox", "patch SandboxClaim/status"}, w.writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"cache: Sandboxes", "cache: Sandbox c", "cache: Sandbox p-a"}, reads); diff != "" {
		t.Errorf("reads (-want +got):\n%s", diff)
	}
	if claim := w.claim("c"); claim.AssignedSandbox() != "" ||
		!apis.ConditionTrue(claim.Status.Conditions, apis.ConditionReady) {
		t.Errorf("%v %+v", claim.Annotations, claim.Status)
	}
	w.gate.ClaimServed("other-uid")
	w.clock.SetTime(w.clock.Now().Add(hold))
	if again, err := w.reconcile("c"); err != nil || again != 0 {
		t.Fatalf("%v, %v", again, err)
	}
	claim := w.claim("c")
	if claim.AssignedSandbox() != "p-a" ||
		claim.Annotations[apis.AnnotationControllerFirstObservedAt] != testNow.Format(time.RFC3339Nano) {
		t.Errorf("the record: %v", claim.Annotations)
	}
}

// TestACacheThatLagsLeadsToNoSecondMember interrupts an adoption, and the cache shows nothing of it.
func TestACacheThatLagsLeadsToNoSecondMember(t *testing.T) {
	tests := map[string]struct {
		fails string
		done  bool
	}{
		"the status is not written":                 {"patch SandboxClaim/status", false},
		"the answer to the status is lost":          {"patch SandboxClaim/status", true},
		"the answer to the adoption is lost":        {"patch Sandbox", true},
		"the adoption never reaches the API server": {"patch Sandbox", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := twoMembers(t)
			w.leadsFor(time.Hour)
			w.freezeSandbox("p-a")
			w.onWrite = func(what string, do func() error) error {
				if what != tt.fails {
					return do()
				}
				if tt.done {
					_ = do()
				}
				return context.DeadlineExceeded
			}
			if _, err := w.reconcile("c"); err == nil {
				t.Fatal("no error")
			}
			w.onWrite = nil
			for range 2 {
				if _, err := w.reconcile("c"); err != nil {
					t.Fatal(err)
				}
			}
			named := w.claim("c").Status.SandboxStatus.Name
			if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-a"}) || named != "p-a" {
				t.Errorf("owned: %v, status: %+v", got, w.claim("c").Status.SandboxStatus)
			}
			if ownerNames(w.sandbox("p-b")) != "SandboxWarmPool/p" {
				t.Error("a second member was adopted")
			}
			if got := w.reconciler.memory.Adopting("c-uid"); got != "p-a" {
				t.Errorf("remembered while the cache does not show it: %q", got)
			}
			delete(w.staleSandboxes, "p-a")
			w.syncQueue()
			if got := w.reconciler.memory.Adopting("c-uid"); got != "" {
				t.Errorf("remembered although the cache shows it: %q", got)
			}
		})
	}
}

func TestARememberedMemberThatCannotBeHadIsForgotten(t *testing.T) {
	tests := map[string]func(w *world){
		"it is deleted": func(w *world) { w.deleteSandbox("p-a"); w.queue.Remove(keyOf("p-a")) },
		"another claim has it": func(w *world) {
			w.create(newClaim("other"))
			w.updateSandbox("p-a", func(s *agentsv1beta1.Sandbox) { *s = *newClaimed(newClaim("other"), s) })
		},
	}
	for name, happens := range tests {
		t.Run(name, func(t *testing.T) {
			w := twoMembers(t)
			w.leadsFor(time.Hour)
			w.freezeSandbox("p-a")
			w.onWrite = func(what string, do func() error) error {
				if what == "patch Sandbox" {
					return context.DeadlineExceeded
				}
				return do()
			}
			if _, err := w.reconcile("c"); err == nil {
				t.Fatal("no error")
			}
			w.onWrite = nil
			happens(w)
			w.settle()
			if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-b"}) {
				t.Errorf("owned: %v", got)
			}
		})
	}
}

// TestTheNextProcessFindsAnAdoptionThatItsCacheDoesNotShow kills the operator between the two writes.
func TestTheNextProcessFindsAnAdoptionThatItsCacheDoesNotShow(t *testing.T) {
	tests := map[string]struct {
		leads     time.Duration // how long the next process leads when the claim is created; negative if it does not yet
		wantOwned []string      // after its first reconcile
	}{
		"a claim older than the process: the API server is asked": {-time.Second, []string{"p-a"}},
		"a newer claim, because the clocks differ":                {time.Second, []string{"p-a", "p-b"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := twoMembers(t)
			w.promises.severalOperators = true
			if !w.killedReconcile("c", 1, true) {
				t.Fatal("it was not killed")
			}
			w.restart()
			w.leadsFor(tt.leads)
			w.staleSandboxes["p-a"] = newMember("p-a", newPool("p"), olderBy(1))
			if _, err := w.reconcile("c"); err != nil {
				t.Fatal(err)
			}
			if got := w.ownedBy("c-uid"); !slices.Equal(got, tt.wantOwned) {
				t.Errorf("owned: %v, want %v", got, tt.wantOwned)
			}
			promised := w.claim("c").Status.SandboxStatus.Name
			delete(w.staleSandboxes, "p-a")
			w.settle()
			if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{promised}) {
				t.Errorf("promised: %s, owned at rest: %v", promised, got)
			}
		})
	}
}

func TestTheAPIServerIsAskedOncePerClaim(t *testing.T) {
	w := newWorld(t, newClaim("c"))
	w.leadsFor(-time.Second)
	lists := 0
	w.beforeRead = func(read string) {
		if read == "list SandboxList" {
			lists++
		}
	}
	for range 3 {
		if _, err := w.reconcile("c"); err != nil {
			t.Fatal(err)
		}
	}
	if lists != 1 {
		t.Errorf("%d lists", lists)
	}
}

// The pool counts its Ready members at any time, so a claim that is about to take one must not count beside it.
func TestAClaimWantsNoMemberFromWhenItTakesOne(t *testing.T) {
	for name, tt := range map[string]struct {
		answer error
		want   []int // before each write, and after a refusal
	}{
		"it has one":               {nil, []int{0, 0}},
		"the adoption was refused": {errors.New("no"), []int{0, 1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			w := twoMembers(t)
			w.reconciler.claimArrived(w.claim("c"))
			var want []int
			w.onWrite = func(write string, do func() error) error {
				if write == "patch Sandbox" || write == "patch SandboxClaim/status" {
					want = append(want, w.gate.Claims().WantMember)
				}
				if tt.answer != nil {
					return tt.answer
				}
				return do()
			}
			if _, err := w.reconcile("c"); (err != nil) != (tt.answer != nil) {
				t.Error(err)
			}
			if tt.answer != nil {
				want = append(want, w.gate.Claims().WantMember)
			}
			if diff := cmp.Diff(tt.want, want); diff != "" {
				t.Errorf("claims that want a member (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClaimsTellTheGate(t *testing.T) {
	w := twoMembers(t)
	h := &claimHandler{reconciler: w.reconciler}
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		want  bool
	}{
		"a new one":                 {newClaim("new"), true},
		"one that has a Sandbox":    {newClaim("bound", builders.BoundTo("x")), false},
		"one that is being deleted": {newClaim("going", builders.DeletedAt(testNow)), false},
		"one that has expired": {
			newClaim("over", builders.WithCondition(apis.ConditionReady, false, apis.ReasonClaimExpired, "", testNow)), false,
		},
	}
	for name, tt := range tests {
		w.reconciler.claimArrived(tt.claim)
		if w.gate.Waiting() != tt.want {
			t.Errorf("%s: %v", name, !tt.want)
		}
		h.Delete(t.Context(), event.DeleteEvent{Object: tt.claim}, nil)
		if w.gate.Waiting() {
			t.Errorf("%s waits although it is deleted", name)
		}
	}
	w.reconciler.claimArrived(w.claim("c"))
	if _, err := w.reconcile("c"); err != nil || w.gate.Waiting() {
		t.Errorf("Ready, and it waits: %v", err)
	}
	w.syncQueue()
	h.Delete(t.Context(), event.DeleteEvent{Object: w.claim("c")}, nil)
	if len(w.reconciler.memory.claims) != 0 {
		t.Errorf("remembered of deleted claims: %v", w.reconciler.memory.claims)
	}
}
