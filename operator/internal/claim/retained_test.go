// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// newRetainedVolume returns a volume that outlived the Sandbox of a claim.
func newRetainedVolume(sandbox, claimUID string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: builders.Namespace, Name: "data-" + sandbox,
		Labels:      map[string]string{"agents.x-k8s.io/claim-uid": claimUID},
		Annotations: map[string]string{"agents.x-k8s.io/sandbox-name": sandbox},
	}}
}

func withRetention(policy agentsv1beta1.PersistentVolumeClaimRetentionPolicyType) builders.TemplateOption {
	return withTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.PersistentVolumeClaimRetentionPolicy = &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{WhenDeleted: policy}
	})
}

// newRevivedWorld returns the world after a claim had the warm Sandbox p-a, expired, and was extended. left are the
// volumes that remain.
func newRevivedWorld(t *testing.T, left ...*corev1.PersistentVolumeClaim) *world {
	t.Helper()
	claim := newClaim("c", builders.WithClaimShutdown(testNow.Add(time.Hour), extensionsv1beta1.ShutdownPolicyRetain))
	w := newWorld(t, claim, newTemplate(withRetention("Retain")), newPool("p"), newMember("p-a", newPool("p")))
	w.settle()
	if w.claim("c").Status.SandboxStatus.Name != "p-a" {
		t.Fatalf("status: %+v", w.claim("c").Status)
	}
	w.clock.SetTime(testNow.Add(time.Hour))
	w.settle()
	if got := w.sandboxes(); len(got) != 0 {
		t.Fatalf("after its end: %v", w.snapshot())
	}
	w.create(newMember("p-b", newPool("p")))
	w.syncQueue()
	for _, v := range left {
		w.create(v)
	}
	w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) {
		c.Spec.Lifecycle.ShutdownTime = new(metav1.NewTime(testNow.Add(2 * time.Hour)))
	})
	w.settle()
	w.checkOneToOne()
	return w
}

func TestARevivedClaimGetsTheSandboxOfItsVolumes(t *testing.T) {
	tests := map[string]struct {
		left []*corev1.PersistentVolumeClaim
		want string
	}{
		"its own volume": {
			left: []*corev1.PersistentVolumeClaim{newRetainedVolume("p-a", "c-uid")}, want: "p-a",
		},
		"the recorded Sandbox's, of several": {
			left: []*corev1.PersistentVolumeClaim{newRetainedVolume("p-0", "c-uid"), newRetainedVolume("p-a", "c-uid")},
			want: "p-a",
		},
		"one whose name is recorded nowhere": {
			left: []*corev1.PersistentVolumeClaim{newRetainedVolume("p-0", "c-uid")}, want: "p-0",
		},
		"without a volume it is one of the pool": {want: "p-b"},
		"another claim's volume is not its own": {
			left: []*corev1.PersistentVolumeClaim{newRetainedVolume("p-a", "other-uid")}, want: "p-b",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newRevivedWorld(t, tt.left...)
			if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{tt.want}) {
				t.Fatalf("the claim owns %v", got)
			}
			if w.sandbox(tt.want).Spec.PersistentVolumeClaimRetentionPolicy == nil {
				t.Error("its volumes would go with it next time")
			}
		})
	}
}

// Whoever may edit the claim may write the record.
func TestARecordOfAnothersSandboxBringsNoVolume(t *testing.T) {
	w := newWorld(t, newClaim("c", withAssignment("theirs")), newTemplate(), newRetainedVolume("theirs", "other-uid"))
	w.settle()
	if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"c"}) {
		t.Errorf("the claim owns %v", got)
	}
}

func TestASandboxThatSomebodyDeletedIsMadeAnewForItsVolumes(t *testing.T) {
	w := newWorld(t, newClaim("c"), newTemplate(withRetention("Retain")), newPool("p"), newMember("p-a", newPool("p")))
	w.settle()
	w.create(newRetainedVolume("p-a", "c-uid"), newMember("p-b", newPool("p")))
	w.deleteSandbox("p-a")
	w.syncQueue()
	w.settle()
	w.checkOneToOne()
	if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-a"}) {
		t.Errorf("the claim owns %v", got)
	}
}

func TestAnAdoptedMemberFollowsTheTemplatesRetentionPolicy(t *testing.T) {
	before, after := newTemplate(withRetention("Delete")), newTemplate(withRetention("Retain"))
	if sandboxspec.BlueprintHash(before) != sandboxspec.BlueprintHash(after) {
		t.Error("the policy makes members stale")
	}
	w := newWorld(t, newClaim("c"), after, newPool("p"), newMemberFrom("p-a", newPool("p"), before))
	w.settle()
	if s := w.sandbox("p-a"); !s.Spec.RetainsVolumes() {
		t.Errorf("policy %+v", s.Spec.PersistentVolumeClaimRetentionPolicy)
	}
}

// The deletion of a Sandbox cannot be undone, so a stale version of the claim does not decide it.
func TestAClaimThatGotMoreTimeMeanwhileKeepsItsSandbox(t *testing.T) {
	w := newWorld(
		t, newClaim("c", withExpiry(extensionsv1beta1.ShutdownPolicyRetain)), newTemplate(),
		newClaimed(newClaim("c"), newMember("p-a", newPool("p"))),
	)
	old := w.claim("c")
	w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) { c.Spec.Lifecycle = nil })
	if result, err := w.reconciler.Reconcile(t.Context(), old); err != nil || result.RequeueAfter != waits.Conflict {
		t.Errorf("%+v, %v", result, err)
	}
	if got := w.ownedBy("c-uid"); len(got) != 1 {
		t.Errorf("the claim owns %v", got)
	}
}
