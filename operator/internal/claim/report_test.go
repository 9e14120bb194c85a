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
	held := func(with ...change) *agentsv1beta1.Sandbox {
		return heldBy(claimOf("c"), member("p-a", pool("p")), with...)
	}
	silent := func(s *agentsv1beta1.Sandbox) { s.Status = agentsv1beta1.SandboxStatus{} }
	wasFinished := builders.WithCondition(apis.ConditionFinished, true, apis.ReasonPodFailed, "before", testNow)
	conflict := apierrors.NewConflict(agentsv1beta1.SchemeGroupVersion.WithResource("x").GroupResource(), "x", errors.New("changed"))
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		facts facts
		want  []string
		name  string
	}{
		"Ready is forwarded": {facts: facts{sandbox: held()}, want: list("Ready=True/DependenciesReady Pod is Ready"), name: "p-a"},
		"NotReady too, with its message": {
			facts: facts{sandbox: held(notReady)}, want: list("Ready=False/DependenciesNotReady " + apis.MessagePodNotReady), name: "p-a",
		},
		"a Sandbox that has said nothing": {facts: facts{sandbox: held(silent)}, want: list(`Ready=False/SandboxNotReady Sandbox "p-a" has not reported yet`), name: "p-a"},
		"a Sandbox that expired by itself": {
			facts: facts{sandbox: held(func(s *agentsv1beta1.Sandbox) {
				report(s, apis.ConditionReady, false, apis.ReasonSandboxExpired, apis.MessageExpired)
			})},
			want: list("Ready=False/SandboxExpired " + apis.MessageSandboxExpiredAlone), name: "p-a",
		},
		"Finished is mirrored": {
			facts: facts{sandbox: held(finished)}, want: list("Ready=False/PodSucceeded done", "Finished=True/PodSucceeded done"), name: "p-a",
		},
		"Finished of a Sandbox before this one goes": {
			claim: claimOf("c", wasFinished), facts: facts{sandbox: held()}, want: list("Ready=True/DependenciesReady Pod is Ready"), name: "p-a",
		},
		"an expired claim keeps it": {
			claim: claimOf("c", wasFinished, builders.BoundTo("p-a")), facts: facts{step: end{}},
			want: list("Ready=False/ClaimExpired "+apis.MessageClaimExpired, "Finished=True/PodFailed before"),
		},
		"an expired claim whose Sandbox does not go keeps its name": {
			claim: claimOf("c", builders.BoundTo("p-a")), facts: facts{step: end{}, err: errors.New("ill")},
			want: list("Ready=False/ReconcilerError Error seen: ill"), name: "p-a",
		},
		"an error keeps the name": {
			claim: claimOf("c", builders.BoundTo("p-a")), facts: facts{err: errors.New("ill")}, want: list("Ready=False/ReconcilerError Error seen: ill"), name: "p-a",
		},
		"a mistake has its reason": {
			facts: facts{err: fmt.Errorf("wrapped: %w", refuse(apis.ReasonTemplateNotFound, "no %s", "t"))}, want: list("Ready=False/TemplateNotFound no t"),
		},
		"a mistake of a bound claim hides nothing but Ready": {
			facts: facts{step: keep{problem: refuse(apis.ReasonInvalidMetadata, "no")}, sandbox: held()}, want: list("Ready=False/InvalidMetadata no"), name: "p-a",
		},
		"a lost race": {facts: facts{err: &lost{text: "gone"}}, want: list("Ready=False/AdoptionConflict gone")},
		"a conflict is no error that a user sees": {
			facts: facts{step: keep{}, sandbox: held(), err: conflict}, want: list("Ready=True/DependenciesReady Pod is Ready"), name: "p-a",
		},
		"a Sandbox on its way out": {
			facts: facts{step: replace{}, sandbox: held(deleting)}, want: list(`Ready=False/SandboxMissing Sandbox "p-a" is being deleted; a new one follows`), name: "p-a",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.claim == nil {
				tt.claim = claimOf("c")
			}
			tt.facts.now = testNow
			got := statusOf(tt.claim, tt.facts)
			if diff := cmp.Diff(tt.want, words(got.Conditions)); diff != "" {
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
	w := newWorld(t, claimOf("c"), template(), pool("p"), member("p-a", pool("p")))
	w.settle()
	first := w.claim("c").Status.FirstReadyTime
	for i, with := range []change{notReady, ready} {
		w.clock.SetTime(testNow.Add(time.Duration(i+1) * time.Minute))
		w.change("p-a", with)
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
	if _, err := New(w.store, w.store, nil, w.recorder, w.clock, w.metrics, w.leaving); err == nil {
		t.Error("no queue, and no error")
	}
}
