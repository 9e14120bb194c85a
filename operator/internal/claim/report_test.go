// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestStatus(t *testing.T) {
	held := func(with ...sandboxOption) *agentsv1beta1.Sandbox {
		return newClaimed(newClaim("c"), newMember("p-a", newPool("p")), with...)
	}
	silent := func(s *agentsv1beta1.Sandbox) { s.Status = agentsv1beta1.SandboxStatus{} }
	wasFinished := builders.WithCondition(apis.ConditionFinished, true, apis.ReasonPodFailed, "before", testNow)
	conflict := apierrors.NewConflict(
		agentsv1beta1.SchemeGroupVersion.WithResource("x").GroupResource(), "x", errors.New("changed"),
	)
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		in    statusInput
		want  []string
		name  string
	}{
		"Ready is forwarded": {
			in: statusInput{sandbox: held()}, want: sliceOf("Ready=True/DependenciesReady Pod is Ready"), name: "p-a",
		},
		"NotReady too, with its message": {
			in: statusInput{
				sandbox: held(notReady),
			},
			want: sliceOf("Ready=False/DependenciesNotReady " + apis.MessagePodNotReady),
			name: "p-a",
		},
		"a Sandbox that has said nothing": {
			in:   statusInput{sandbox: held(silent)},
			want: sliceOf(`Ready=False/SandboxNotReady Sandbox "p-a" has not reported a status yet`), name: "p-a",
		},
		"a Sandbox that expired by itself": {
			in: statusInput{sandbox: held(func(s *agentsv1beta1.Sandbox) {
				setCondition(s, apis.ConditionReady, false, apis.ReasonSandboxExpired, apis.MessageExpired)
			})},
			want: sliceOf("Ready=False/SandboxExpired " + apis.MessageSandboxExpiredAlone), name: "p-a",
		},
		"Finished is mirrored": {
			in: statusInput{
				sandbox: held(finished),
			},
			want: sliceOf("Ready=False/PodSucceeded done", "Finished=True/PodSucceeded done"),
			name: "p-a",
		},
		"Finished of a Sandbox before this one goes": {
			claim: newClaim("c", wasFinished),
			in:    statusInput{sandbox: held()},
			want:  sliceOf("Ready=True/DependenciesReady Pod is Ready"),
			name:  "p-a",
		},
		"an expired claim keeps it": {
			claim: newClaim("c", wasFinished, builders.BoundTo("p-a")), in: statusInput{step: expire{}},
			want: sliceOf("Ready=False/ClaimExpired "+apis.MessageClaimExpired, "Finished=True/PodFailed before"),
		},
		"an expired claim whose Sandbox does not go keeps its name": {
			claim: newClaim("c", builders.BoundTo("p-a")), in: statusInput{step: expire{}, err: errors.New("ill")},
			want: sliceOf("Ready=False/ReconcilerError Error seen: ill"), name: "p-a",
		},
		"an error keeps the name": {
			claim: newClaim("c", builders.BoundTo("p-a")),
			in:    statusInput{err: errors.New("ill")},
			want:  sliceOf("Ready=False/ReconcilerError Error seen: ill"),
			name:  "p-a",
		},
		"a mistake has its reason": {
			in: statusInput{
				err: fmt.Errorf("wrapped: %w", rejectf(apis.ReasonTemplateNotFound, "no %s", "t")),
			},
			want: sliceOf("Ready=False/TemplateNotFound no t"),
		},
		"a mistake of a bound claim hides nothing but Ready": {
			in: statusInput{
				step: keep{problem: rejectf(apis.ReasonInvalidMetadata, "no")}, sandbox: held(),
			},
			want: sliceOf("Ready=False/InvalidMetadata no"),
			name: "p-a",
		},
		"a lost race": {
			in: statusInput{err: &adoptionFailedError{message: "gone"}}, want: sliceOf("Ready=False/AdoptionConflict gone"),
		},
		"a conflict is no error that a user sees": {
			in: statusInput{
				step: keep{}, sandbox: held(), err: conflict,
			},
			want: sliceOf("Ready=True/DependenciesReady Pod is Ready"),
			name: "p-a",
		},
		"a Sandbox on its way out": {
			in: statusInput{
				step: awaitDeletion{}, sandbox: held(deleting),
			},
			want: sliceOf(`Ready=False/SandboxMissing Sandbox "p-a" is being deleted; a new one follows`),
			name: "p-a",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.claim == nil {
				tt.claim = newClaim("c")
			}
			tt.in.now = testNow
			got := statusOf(tt.claim, tt.in)
			if diff := cmp.Diff(tt.want, conditionStrings(got.Conditions)); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if got.SandboxStatus.Name != tt.name {
				t.Errorf("name %q, want %q", got.SandboxStatus.Name, tt.name)
			}
			if got.Conditions[0].ObservedGeneration != tt.claim.Generation {
				t.Errorf("generation %d", got.Conditions[0].ObservedGeneration)
			}
		})
	}
}

func TestTheFirstReadyTimeNeverChanges(t *testing.T) {
	w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
	w.settle()
	first := w.claim("c").Status.FirstReadyTime
	for i, with := range []sandboxOption{notReady, ready} {
		w.clock.SetTime(testNow.Add(time.Duration(i+1) * time.Minute))
		w.updateSandbox("p-a", with)
		w.settle()
	}
	w.restart()
	w.settle()
	if got := w.claim("c").Status.FirstReadyTime; first == nil || !got.Equal(first) {
		t.Errorf("first %v, then %v", first, got)
	}
	if got := w.events(); len(got) != 1 {
		t.Errorf("events: %v", got)
	}
}

func TestNewTakesEveryDependency(t *testing.T) {
	w := newWorld(t)
	if _, err := New(w.store, w.store, nil, w.recorder, w.clock, w.metrics, w.isLeaving, w.gate); err == nil {
		t.Error("no queue, and no error")
	}
	if _, err := New(w.store, w.store, w.queue, w.recorder, w.clock, w.metrics, w.isLeaving, nil); err == nil {
		t.Error("no gate, and no error")
	}
}
