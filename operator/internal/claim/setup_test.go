// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestWhatOfASandboxWakesItsClaim(t *testing.T) {
	was := newClaimed(newClaim("c"), newMember("p-a", newPool("p")))
	tests := map[string]struct {
		from *agentsv1beta1.Sandbox // nil: the claim's ready Sandbox
		to   func(*agentsv1beta1.Sandbox)
		want bool
	}{
		"it is no longer ready": {to: notReady, want: true},
		"it expired, which changes only the reason": {
			from: newClaimed(newClaim("c"), newMember("p-a", newPool("p")), notReady),
			to: func(s *agentsv1beta1.Sandbox) {
				setCondition(s, apis.ConditionReady, false, apis.ReasonSandboxExpired, apis.MessagePodNotReady)
			},
			want: true,
		},
		"a new message": {to: func(s *agentsv1beta1.Sandbox) {
			setCondition(s, apis.ConditionReady, true, apis.ReasonDependenciesReady, "other")
		}, want: true},
		"it finished": {to: func(s *agentsv1beta1.Sandbox) {
			setCondition(s, apis.ConditionFinished, true, apis.ReasonPodFailed, "")
		}, want: true},
		"new addresses": {
			to: func(s *agentsv1beta1.Sandbox) { s.Status.PodIPs = []string{"10.0.0.7"} }, want: true,
		},
		"it is being deleted": {to: deleting, want: true},
		"its identity was edited": {
			to: func(s *agentsv1beta1.Sandbox) { delete(s.Labels, apis.LabelSandboxTemplateRefHash) }, want: true,
		},
		"its owner reference is gone": {to: withoutOwners, want: true},
		"its template's name was edited": {
			to: func(s *agentsv1beta1.Sandbox) { s.Annotations[apis.AnnotationTemplateRef] = "x" }, want: true,
		},
		"the hand-over itself": {from: newMember("p-a", newPool("p")), to: func(*agentsv1beta1.Sandbox) {}},
		"an annotation":        {to: func(s *agentsv1beta1.Sandbox) { s.Annotations["x"] = "y" }},
		"its node":             {to: func(s *agentsv1beta1.Sandbox) { s.Status.NodeName = "node-1" }},
		"another generation was observed": {
			to: func(s *agentsv1beta1.Sandbox) { s.Status.Conditions[0].ObservedGeneration++ },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			old, is := was.DeepCopy(), was.DeepCopy()
			if tt.from != nil {
				old = tt.from
				is.Status = *old.Status.DeepCopy()
			}
			tt.to(is)
			if got := sandboxChanged().Update(event.UpdateEvent{ObjectOld: old, ObjectNew: is}); got != tt.want {
				t.Errorf("wakes: %v", got)
			}
		})
	}
	if sandboxChanged().Create(event.CreateEvent{Object: &agentsv1beta1.Sandbox{}}) ||
		!sandboxChanged().Create(event.CreateEvent{Object: was}) {
		t.Error("a Sandbox that appears wakes its claim if it has something to say")
	}
	if !sandboxChanged().Delete(event.DeleteEvent{Object: was}) {
		t.Error("a Sandbox that went does not wake its claim")
	}
}

func TestWhatOfAClaimWakesIt(t *testing.T) {
	tests := map[string]struct {
		was, is *extensionsv1beta1.SandboxClaim
		want    bool
	}{
		"its spec":           {newClaim("c"), newClaim("c", builders.WithGeneration(2)), true},
		"its deletion":       {newClaim("c"), newClaim("c", builders.DeletedAt(testNow)), true},
		"a record that went": {newClaim("c", withAssignment("p-a")), newClaim("c"), true},
		"a record that came": {newClaim("c"), newClaim("c", withAssignment("p-a")), false},
		"a record that names another one": {
			newClaim("c", withAssignment("p-a")), newClaim("c", withAssignment("p-b")), true,
		},
		"its label": {
			newClaim("c", withAssignment("p-a"), builders.WithLabel(apis.LabelAssignedSandboxName, "p-a")),
			newClaim("c", withAssignment("p-a"), builders.WithLabel(apis.LabelAssignedSandboxName, "p-b")), true,
		},
		"its status": {newClaim("c"), newClaim("c", builders.BoundTo("p-a")), false},
		"an annotation of ours": {
			newClaim("c"), newClaim("c", builders.WithAnnotation(apis.AnnotationControllerFirstObservedAt, "x")), false,
		},
	}
	for name, tt := range tests {
		if got := claimSpecChanged().Update(event.UpdateEvent{ObjectOld: tt.was, ObjectNew: tt.is}); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAPoolsCountsWakeNoClaim(t *testing.T) {
	was := newPool("p", builders.WithGeneration(1))
	counted := newPool("p", builders.WithGeneration(1), builders.WithResourceVersion("2"),
		builders.WithPoolStatus(extensionsv1beta1.SandboxWarmPoolStatus{ReadyReplicas: 3}))
	if specChanged().Update(event.UpdateEvent{ObjectOld: was, ObjectNew: counted}) {
		t.Error("a status write wakes claims")
	}
	if !specChanged().Update(event.UpdateEvent{ObjectOld: was, ObjectNew: newPool("p", builders.WithGeneration(2))}) {
		t.Error("another template of the pool wakes nobody")
	}
}

func TestWhoWaitsForWhat(t *testing.T) {
	says := func(reason apis.Reason) builders.Condition {
		return builders.WithCondition(apis.ConditionReady, false, reason, "", testNow)
	}
	w := newWorld(t, newPool("p"), builders.Pool("other", "node"),
		newClaim("new"), newClaim("by-pool", builders.FromPool("p")), newClaim("by-name", builders.WithWarmPool("p")),
		newClaim("bound", builders.BoundTo("x"), says(apis.ReasonDependenciesNotReady)),
		newClaim("mistaken", builders.BoundTo("x"), says(apis.ReasonInvalidMetadata)),
		newClaim("orphaned", builders.BoundTo("x"), says(apis.ReasonTemplateNotFound)),
		newClaim("over", says(apis.ReasonClaimExpired)), newClaim("going", builders.DeletedAt(testNow)),
		newClaim("by-other", builders.FromPool("other")), newClaim("elsewhere", builders.InNamespace("elsewhere")))
	names := func(object client.Object) (all []string) {
		requests := w.reconciler.claimsWaitingForPool(t.Context(), object)
		if _, of := object.(*extensionsv1beta1.SandboxTemplate); of {
			requests = w.reconciler.claimsWaitingForTemplate(t.Context(), object)
		}
		for _, r := range requests {
			all = append(all, r.Name)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	if got := names(newTemplate()); !slices.Equal(got, []string{"by-name", "by-pool", "mistaken", "new", "orphaned"}) {
		t.Errorf("for the template: %v", got)
	}
	if got := names(newPool("p")); !slices.Equal(got, []string{"by-name", "by-pool"}) {
		t.Errorf("for the pool: %v", got)
	}
}

func TestTheWatchFeedsTheQueue(t *testing.T) {
	w := newWorld(t)
	q, h, s := w.queue, w.reconciler.sandboxHandler(), newMember("p-a", newPool("p"))
	gone := newClaimed(newClaim("c"), newMember("p-a", newPool("p")))
	h.Create(t.Context(), event.CreateEvent{Object: newMember("p-b", newPool("p"), withoutIP)}, nil)
	h.Create(t.Context(), event.CreateEvent{Object: s}, nil)
	if q.Len() != 1 {
		t.Errorf("%d members", q.Len())
	}
	h.Update(t.Context(), event.UpdateEvent{ObjectOld: s, ObjectNew: gone}, nil)
	if q.Len() != 0 {
		t.Error("a claimed Sandbox is still in the queue")
	}
	h.Update(t.Context(), event.UpdateEvent{ObjectOld: s, ObjectNew: s}, nil)
	h.Delete(t.Context(), event.DeleteEvent{Object: s}, nil)
	if q.Len() != 0 {
		t.Error("a deleted Sandbox is still in the queue")
	}
}

func TestIndexes(t *testing.T) {
	if got := claimUIDOf(
		newClaimed(newClaim("c"), newMember("p-a", newPool("p")), withOwnerVersion("v1alpha1")),
	); !slices.Equal(got, []string{"c-uid"}) {
		t.Errorf("owner: %v", got)
	}
	if got := claimUIDOf(newMember("p-a", newPool("p"))); got != nil {
		t.Errorf("a pool is no claim: %v", got)
	}
	if got := claimUIDOf(&agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Name: "x"}}); got != nil {
		t.Errorf("nobody: %v", got)
	}
	if got := indexBy((*extensionsv1beta1.SandboxClaimSpec).PoolName)(
		newClaim("c", builders.WithWarmPool(apis.WarmPoolDefault)),
	); got != nil {
		t.Errorf("default is no pool's name: %v", got)
	}
}

// A claim that lost its Sandbox keeps the name in its status, and can be waiting all the same.
func TestABoundClaimWaitsByItsReason(t *testing.T) {
	for reason, want := range map[apis.Reason]bool{
		"TemplateNotFound": true, "WarmPoolNotFound": true, "InvalidMetadata": true, "EnvVarsInjectionRejected": true,
		"VolumeClaimTemplatesError": true, "SandboxMissing": true, "ReconcilerError": true,
		"DependenciesReady": false, "DependenciesNotReady": false, "SandboxExpired": false, "ClaimExpired": false,
	} {
		claim := newClaim("c", builders.BoundTo("x"), builders.WithCondition(apis.ConditionReady, false, reason, "", testNow))
		if got := isWaiting(claim); got != want {
			t.Errorf("%s: waits %t", reason, got)
		}
	}
}
