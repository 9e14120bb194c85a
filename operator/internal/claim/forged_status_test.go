// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// Whoever may write the status can give a claim neither another claim's Sandbox nor a second one.
func TestAForgedStatusIsMadeRightAndMovesNothing(t *testing.T) {
	ready := apis.NewCondition(
		nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "forged", 1, metav1.NewTime(testNow),
	)
	expired := apis.NewCondition(
		nil, apis.ConditionReady, false, apis.ReasonClaimExpired, "forged", 1, metav1.NewTime(testNow),
	)
	scenarios := map[string]func() *world{
		"bound": func() *world {
			return newWorld(
				t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p"), olderBy(2)),
				newMember("p-b", newPool("p"), olderBy(1)), newClaimed(newClaim("other"), newMember("p-x", newPool("p"))),
			)
		},
		"waiting": func() *world {
			return newWorld(t, newClaim("c"), newClaimed(newClaim("other"), newMember("p-x", newPool("p"))))
		},
	}
	forgeries := map[string]extensionsv1beta1.SandboxClaimStatus{
		"nothing": {},
		"another's Sandbox": {
			Conditions:    []metav1.Condition{ready},
			SandboxStatus: extensionsv1beta1.SandboxStatus{Name: "p-x", PodIPs: []string{"10.6.6.6"}},
		},
		"a second Sandbox": {
			Conditions: []metav1.Condition{ready}, SandboxStatus: extensionsv1beta1.SandboxStatus{Name: "p-b"},
		},
		"one that is not": {
			Conditions: []metav1.Condition{ready}, SandboxStatus: extensionsv1beta1.SandboxStatus{Name: "p-none"},
		},
		"that it has expired": {Conditions: []metav1.Condition{expired}},
		"a condition of no kind of ours": {Conditions: []metav1.Condition{
			{Type: "Forged", Status: metav1.ConditionTrue, Reason: "Forged", LastTransitionTime: metav1.NewTime(testNow)},
		}},
	}
	for state, start := range scenarios {
		for what, forged := range forgeries {
			w := start()
			w.settle()
			want, owners := w.claim("c").Status, w.ownedBy("c-uid")
			claim := w.claim("c")
			claim.Status = forged
			if err := w.store.Status().Update(context.Background(), claim); err != nil {
				t.Fatal(err)
			}
			w.settle()
			got := w.claim("c").Status
			if state == "waiting" { // the forged name stays, because an error does not clear it
				got.SandboxStatus = extensionsv1beta1.SandboxStatus{}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, forged %s (-want +got):\n%s", state, what, diff)
			}
			if diff := cmp.Diff(owners, w.ownedBy("c-uid")); diff != "" {
				t.Errorf("%s, forged %s: it owns (-before +after):\n%s", state, what, diff)
			}
			if problems := w.violations(); len(problems) > 0 {
				t.Errorf("%s, forged %s: %q", state, what, problems)
			}
		}
	}
}

func TestAStatusFromAnOldPictureOverwritesNothing(t *testing.T) {
	w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
	newer := apis.NewCondition(
		nil, apis.ConditionReady, false, apis.ReasonSandboxNotReady, "newer", 1, metav1.NewTime(testNow),
	)
	w.onWrite = func(write string, do func() error) error {
		if write == "patch SandboxClaim/status" {
			claim := w.claim("c")
			claim.Status.Conditions = []metav1.Condition{newer}
			if err := w.store.Status().Update(context.Background(), claim); err != nil {
				t.Fatal(err)
			}
		}
		return do()
	}
	if again, err := w.reconcile("c"); err != nil || again != waits.Conflict {
		t.Errorf("again in %s, %v", again, err)
	}
	if diff := cmp.Diff(
		[]string{"Ready=False/SandboxNotReady newer"}, conditionStrings(w.claim("c").Status.Conditions),
	); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if got := w.events(); len(got) != 0 {
		t.Errorf("what was not written is announced: %v", got)
	}
}
