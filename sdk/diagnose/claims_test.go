// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// claim returns a claim of the template py, of generation 2 and a minute old, with the conditions.
func claim(conditions ...metav1.Condition) *extensionsv1beta1.SandboxClaim {
	return &extensionsv1beta1.SandboxClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "dev", Generation: 2, CreationTimestamp: metav1.NewTime(now.Add(-time.Minute))},
		Spec:       extensionsv1beta1.SandboxClaimSpec{TemplateRef: &extensionsv1beta1.SandboxTemplateRef{Name: "py"}},
		Status:     extensionsv1beta1.SandboxClaimStatus{Conditions: conditions},
	}
}

// refused returns a claim that the operator has rejected.
func refused(reason apis.Reason) *extensionsv1beta1.SandboxClaim {
	return claim(apis.NewCondition(nil, apis.ConditionReady, false, reason, "the claim's mistake", 2, metav1.NewTime(now)))
}

func fromPool(c *extensionsv1beta1.SandboxClaim) *extensionsv1beta1.SandboxClaim {
	c.Spec = extensionsv1beta1.SandboxClaimSpec{WarmPoolRef: &extensionsv1beta1.WarmPoolRef{Name: "warm"}}
	return c
}

// over returns a claim that the operator has ended, because of the field that sets the end.
func over(lifecycle extensionsv1beta1.Lifecycle) *extensionsv1beta1.SandboxClaim {
	c := claim(
		condition(apis.ConditionReady, false, apis.ReasonClaimExpired, 2),
		apis.NewCondition(
			nil, apis.ConditionFinished, true, apis.ReasonPodSucceeded, "", 2, metav1.NewTime(now.Add(-time.Hour)),
		),
	)
	c.Spec.Lifecycle = &lifecycle
	return c
}

func deleted(c *extensionsv1beta1.SandboxClaim) *extensionsv1beta1.SandboxClaim {
	c.DeletionTimestamp = &metav1.Time{Time: now}
	return c
}

func TestOfClaims(t *testing.T) {
	shutdown := extensionsv1beta1.Lifecycle{ShutdownTime: &metav1.Time{Time: now.Add(-time.Minute)}}
	finished := extensionsv1beta1.Lifecycle{TTLSecondsAfterFinished: new(int32(60))}
	tests := map[string]struct {
		claim   *extensionsv1beta1.SandboxClaim
		sandbox *agentsv1beta1.Sandbox
		verdict diagnose.Verdict
		said    string // in the obstacle; empty: no obstacle
		next    []string
	}{
		"a ready claim has no obstacle": {claim: claim(ready), verdict: diagnose.Ready, next: []string{"shell dev"}},
		"a claim's readiness counts, whatever an older generation of it said": {
			claim:   claim(condition(apis.ConditionReady, true, apis.ReasonDependenciesReady, 1)),
			verdict: diagnose.Starting,
			said:    "has not seen the latest change",
			next:    []string{"wait dev --for ready"},
		},
		"a template that is missing can be made": {
			claim:   refused(apis.ReasonTemplateNotFound),
			verdict: diagnose.Blocked,
			said:    "TemplateNotFound",
			next:    []string{"template list", "template create py --image IMAGE"},
		},
		"a pool that is missing can be made": {
			claim:   fromPool(refused(apis.ReasonWarmPoolNotFound)),
			verdict: diagnose.Blocked,
			said:    "WarmPoolNotFound",
			next:    []string{"pool list", "pool create warm --template TEMPLATE"},
		},
		"refused metadata is to be changed": {
			claim:   refused(apis.ReasonInvalidMetadata),
			verdict: diagnose.Blocked,
			said:    "the claim's mistake",
			next:    []string{"kubectl edit sandboxclaim dev"},
		},
		"refused variables name the template's policy": {
			claim:   refused(apis.ReasonEnvVarsInjectionRejected),
			verdict: diagnose.Blocked,
			said:    "EnvVarsInjectionRejected",
			next:    []string{"change the variables of the claim", "envVarsInjectionPolicy", "--pool none"},
		},
		"refused volumes name the template's policy": {
			claim:   refused(apis.ReasonVolumeClaimTemplatesError),
			verdict: diagnose.Blocked,
			said:    "VolumeClaimTemplatesError",
			next:    []string{"change the volumes of the claim", "volumeClaimTemplatesPolicy"},
		},
		"a lost race heals": {
			claim:   refused(apis.ReasonAdoptionConflict),
			verdict: diagnose.Starting,
			said:    "AdoptionConflict",
			next:    []string{"wait dev --for ready"},
		},
		"a claim that ended at its time can be given more": {
			claim: over(shutdown), verdict: diagnose.Expired, said: "it has expired",
			next: []string{"extend dev --by 1h", "delete dev"},
		},
		"a claim that ended with its work can only be removed": {
			claim:   over(finished),
			verdict: diagnose.Expired,
			said:    "it has expired",
			next:    []string{"its work is done", "delete dev"},
		},
		"a claim that is going": {
			claim: deleted(claim(ready)), verdict: diagnose.Deleting, said: "is being deleted",
			next: []string{"wait dev --for deleted"},
		},
		"what its Sandbox says is told, not that the claim mirrors it": {
			claim:   claim(condition(apis.ConditionReady, false, apis.ReasonSandboxNotReady, 2)),
			sandbox: sandbox(condition(apis.ConditionReady, false, apis.ReasonMultiplePods, 2)),
			verdict: diagnose.Blocked, said: "MultiplePods", next: []string{"solve what is said above"},
		},
		"a claim that was ready before its Sandbox resumed is not ready again": {
			claim: claim(ready), sandbox: sandbox(condition(apis.ConditionReady, true, apis.ReasonDependenciesReady, 1)),
			verdict: diagnose.Starting, said: "has not seen the latest change",
		},
		"a suspended Sandbox suspends its claim": {
			claim:   claim(notReady),
			sandbox: suspended(sandbox(condition(apis.ConditionSuspended, true, apis.ReasonPodTerminated, 2))),
			verdict: diagnose.Suspended,
			next:    []string{"resume dev"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := diagnose.Of(diagnose.Snapshot{Now: now, Claim: tt.claim, Sandbox: tt.sandbox})
			if d.Verdict != tt.verdict || !strings.Contains(d.Obstacle, tt.said) || (tt.said == "") != (d.Obstacle == "") {
				t.Errorf("verdict %s, obstacle %q", d.Verdict, d.Obstacle)
			}
			var steps strings.Builder
			for _, step := range d.Next {
				steps.WriteString(step.Text + " | " + step.Command + "\n")
			}
			for _, word := range tt.next {
				if !strings.Contains(steps.String(), word) {
					t.Errorf("next lacks %q:\n%s", word, &steps)
				}
			}
		})
	}
}
