// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// describe formats a step.
func describe(s step) string {
	switch s := s.(type) {
	case keep:
		text := "keep " + s.sandbox.Name
		if s.desired != nil {
			text += ", repair"
		}
		if len(s.surplus) > 0 {
			text += fmt.Sprintf(", %d too many", len(s.surplus))
		}
		if s.problem != nil {
			text += ", " + s.problem.Error()
		}
		return text
	case awaitDeletion:
		return "replace " + s.sandbox.Name
	case resumeAdoption:
		return "resume " + s.member.Name
	case clearAssignment:
		return "forget " + s.sandbox.Name
	case adoptOrCreate:
		return "draw from " + pools(s.source) + ", else " + describe(s.fallback)
	case create:
		return "create " + s.sandbox.Name
	case reject:
		return "reject " + string(s.rejection.reason)
	case expire:
		return fmt.Sprintf("end %s %d", s.policy, len(s.sandboxes))
	}
	return "?"
}

func pools(from *source) string {
	var names []string
	for _, p := range from.pools {
		names = append(names, p.Name)
	}
	return strings.Join(names, "+")
}

func sliceOf[T any](all ...T) []T { return all }

func TestNextStep(t *testing.T) {
	held := func(name string, with ...sandboxOption) *agentsv1beta1.Sandbox {
		return newClaimed(newClaim("c"), newMember(name, newPool("p")), with...)
	}
	both := sliceOf(newPool("p"), newPool("q"))
	foreign := newClaimed(newClaim("other"), newMember("x", newPool("p")))
	inOurWay := builders.Sandbox("c", builders.OwnedByStranger())
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		seen  observed
		want  string
	}{
		"a Sandbox we own is kept, however many warm ones there are": {
			seen: observed{owned: sliceOf(held("p-a")), template: newTemplate(), pools: both}, want: "keep p-a",
		},
		"one that the cache has not shown as ours yet is kept too": {
			claim: newClaim("c", withAssignment("p-a")),
			seen:  observed{recorded: held("p-a"), template: newTemplate()},
			want:  "keep p-a",
		},
		"it is kept when its template is gone": {seen: observed{owned: sliceOf(held("p-a"))}, want: "keep p-a"},
		"of two the one that the status names is kept": {
			claim: newClaim("c", builders.BoundTo("p-b"), withAssignment("p-a")),
			seen:  observed{owned: sliceOf(held("p-a", olderBy(1)), held("p-b"))},
			want:  "keep p-b, 1 too many",
		},
		"labels that somebody took away are put back": {
			seen: observed{
				owned: sliceOf(held("p-a", func(s *agentsv1beta1.Sandbox) { delete(s.Labels, apis.LabelClaimUID) })),
			},
			want: "keep p-a, repair",
		},
		"a Sandbox on its way out is waited for": {
			seen: observed{owned: sliceOf(held("p-a", deleting)), template: newTemplate(), pools: both}, want: "replace p-a",
		},
		"an adoption that was recorded goes on": {
			claim: newClaim("c", withAssignment("p-a")),
			seen:  observed{recorded: newMember("p-a", newPool("p")), template: newTemplate(), pools: both},
			want:  "resume p-a",
		},
		"a record of somebody else's Sandbox is dropped": {
			claim: newClaim("c", withAssignment("x")),
			seen:  observed{recorded: foreign, template: newTemplate(), pools: both},
			want:  "forget x",
		},
		"a record of a member that nobody may have any more is dropped": {
			claim: newClaim("c", withAssignment("p-a")),
			seen:  observed{recorded: newMember("p-a", newPool("p"), withoutIP), template: newTemplate(), pools: both},
			want:  "forget p-a",
		},
		"a record of a member of a pool that the claim may not use is dropped": {
			claim: newClaim("c", withAssignment("z-a")),
			seen:  observed{recorded: newMember("z-a", newPool("z")), template: newTemplate(), pools: both},
			want:  "forget z-a",
		},
		"another's Sandbox in a status without a record hinders nothing": {
			claim: newClaim("c", builders.BoundTo("p-x", "10.6.6.6")),
			seen: observed{
				recorded: newClaimed(newClaim("other"), newMember("p-x", newPool("p"))), template: newTemplate(), pools: both,
			},
			want: "draw from p+q, else create c",
		},
		"a record of what is gone hinders nothing": {
			claim: newClaim("c", withAssignment("p-a")),
			seen:  observed{template: newTemplate(), pools: both},
			want:  "draw from p+q, else create c",
		},
		"a Sandbox whose volumes wait for the claim is made anew, whatever pools there are": {
			claim: newClaim("c", withAssignment("p-a")),
			seen:  observed{retainedName: "p-a", template: newTemplate(), pools: both},
			want:  "create p-a",
		},
		"one under the claim's name does not hinder it": {
			claim: newClaim("c"),
			seen:  observed{retainedName: "p-a", sameName: inOurWay, template: newTemplate()},
			want:  "create p-a",
		},
		"its template must be there": {
			claim: newClaim("c", withAssignment("p-a")), seen: observed{retainedName: "p-a", pools: both},
			want: "reject TemplateNotFound",
		},
		"a recorded creation is tried again, and nothing else": {
			claim: newClaim("c", withAssignment("c")), seen: observed{template: newTemplate(), pools: both}, want: "create c",
		},
		"without pools it starts cold": {seen: observed{template: newTemplate()}, want: "create c"},
		"a pool that goes serves nobody": {
			seen: observed{template: newTemplate(), pools: sliceOf(newPool("p", builders.DeletedAt(testNow)))}, want: "create c",
		},
		"warmpool none starts cold": {
			claim: newClaim("c", builders.WithWarmPool(apis.WarmPoolNone)), seen: observed{template: newTemplate()},
			want: "create c",
		},
		"default draws from every pool": {
			seen: observed{template: newTemplate(), pools: both}, want: "draw from p+q, else create c",
		},
		"a named pool is drawn from": {
			claim: newClaim("c", builders.WithWarmPool("q")),
			seen:  observed{template: newTemplate(), pools: sliceOf(newPool("q"))}, want: "draw from q, else create c",
		},
		"a pool by reference too": {
			claim: newClaim("c", builders.FromPool("q")), seen: observed{template: newTemplate(), pools: sliceOf(newPool("q"))},
			want: "draw from q, else create c",
		},
		"a named pool that is not there": {
			claim: newClaim("c", builders.WithWarmPool("q")), seen: observed{template: newTemplate()},
			want: "reject WarmPoolNotFound",
		},
		"a reference to no pool": {claim: newClaim("c", builders.FromPool("q")), want: "reject WarmPoolNotFound"},
		"a pool whose template is gone": {
			claim: newClaim("c", builders.FromPool("q")), seen: observed{pools: sliceOf(newPool("q"))},
			want: "reject TemplateNotFound",
		},
		"a template that is not there": {seen: observed{pools: both}, want: "reject TemplateNotFound"},
		"a pool of another template": {
			claim: newClaim("c", builders.WithWarmPool("q")),
			seen: observed{
				template: newTemplate(), pools: sliceOf(builders.Pool("q", "other")),
			},
			want: "reject WarmPoolNotFound",
		},
		"a Sandbox in the way": {
			seen: observed{sameName: inOurWay, template: newTemplate()}, want: "reject ReconcilerError",
		},
		"with a pool it is in nobody's": {
			seen: observed{sameName: inOurWay, template: newTemplate(), pools: both},
			want: "draw from p+q, else reject ReconcilerError",
		},
		"the Sandbox of an earlier claim": {
			seen: observed{
				sameName: newClaimed(newClaim("c", builders.WithUID("before")), newMember("c", newPool("p"))),
				template: newTemplate(),
			},
			want: "reject SandboxMissing",
		},
		"variables with a warm pool": {
			claim: newClaim("c", builders.WithEnv("A", "1")), seen: observed{template: newTemplate(withPoliciesAllowed)},
			want: "reject EnvVarsInjectionRejected",
		},
		"variables by a pool start cold": {
			claim: newClaim("c", builders.FromPool("p"), builders.WithEnv("A", "1")),
			seen:  observed{template: newTemplate(withPoliciesAllowed), pools: sliceOf(newPool("p"))}, want: "create c",
		},
		"volumes by a pool start cold": {
			claim: newClaim("c", builders.FromPool("p"), withVolume("x")),
			seen:  observed{template: newTemplate(withPoliciesAllowed), pools: sliceOf(newPool("p"))}, want: "create c",
		},
		"a claim that is over has no say": {
			claim: newClaim("c", withExpiry(extensionsv1beta1.ShutdownPolicyRetain)),
			seen:  observed{template: newTemplate(), pools: both}, want: "end Retain 0",
		},
		"no policy means Retain": {
			claim: newClaim("c", withExpiry("")), seen: observed{owned: sliceOf(held("p-a"))}, want: "end Retain 1",
		},
		"a Sandbox that has finished counts before the status says so": {
			claim: newClaim("c", builders.WithTTL(0, extensionsv1beta1.ShutdownPolicyDelete)),
			seen:  observed{owned: sliceOf(held("p-a", finished))},
			want:  "end Delete 1",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.claim == nil {
				tt.claim = newClaim("c")
			}
			before := tt.claim.DeepCopy()
			if got := describe(nextStep(testNow, tt.claim, tt.seen)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if !equality.Semantic.DeepEqual(before, tt.claim) {
				t.Error("the decision changed the claim")
			}
		})
	}
}
