// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestMistakesHealByThemselves(t *testing.T) {
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		world []func(*world)
		want  []string // the reason at first and after each change
	}{
		"an unknown template": {
			claim: newClaim("c"), want: []string{"TemplateNotFound", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(newTemplate()) }},
		},
		"an unknown pool, and then its unknown template": {
			claim: newClaim(
				"c",
				builders.FromPool("p"),
			),
			want:  []string{"WarmPoolNotFound", "TemplateNotFound", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(newPool("p")) }, func(w *world) { w.create(newTemplate()) }},
		},
		"a Sandbox in the way": {
			claim: newClaim("c"), want: []string{"TemplateNotFound", "ReconcilerError", "SandboxNotReady"},
			world: []func(*world){
				func(w *world) { w.create(newTemplate(), builders.Sandbox("c", builders.OwnedByStranger())) },
				func(w *world) { w.deleteSandbox("c") },
			},
		},
		"variables that the template forbids": {
			claim: newClaim("c", builders.WithEnv("A", "1"), builders.WithWarmPool(apis.WarmPoolNone)),
			want:  []string{"TemplateNotFound", "EnvVarsInjectionRejected", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(newTemplate()) }, func(w *world) {
				w.editTemplate(func(s *extensionsv1beta1.SandboxTemplateSpec) {
					s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicyAllowed
				})
			}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.claim)
			for i, want := range tt.want {
				if i > 0 {
					tt.world[i-1](w)
				}
				if i > 0 && !isWaiting(w.claim("c")) {
					t.Errorf("a claim that is %s is not waiting", tt.want[i-1])
				}
				after, err := w.reconcile("c")
				if err != nil || (after != 0 && after != waits.Blocked) {
					t.Errorf("backs off: %v %v", after, err)
				}
				if got := apis.FindCondition(w.claim("c").Status.Conditions, apis.ConditionReady); got.Reason != want {
					t.Errorf("step %d: %s %s, want %s", i, got.Reason, got.Message, want)
				}
			}
		})
	}
}

func (w *world) editTemplate(with func(*extensionsv1beta1.SandboxTemplateSpec)) {
	w.t.Helper()
	t := &extensionsv1beta1.SandboxTemplate{}
	if err := w.store.Get(context.Background(), keyOf("python"), t); err != nil {
		w.t.Fatal(err)
	}
	with(&t.Spec)
	if err := w.store.Update(context.Background(), t); err != nil {
		w.t.Fatal(err)
	}
}

func TestALostSandboxIsReplaced(t *testing.T) {
	for name, objects := range map[string]func() *world{
		"warm": func() *world {
			return newWorld(t, newClaim("c"), newTemplate(), newPool("p"),
				newMember("p-a", newPool("p"), olderBy(1)), newMember("p-b", newPool("p")))
		},
		"cold": func() *world { return newWorld(t, newClaim("c"), newTemplate()) },
	} {
		w := objects()
		w.settle()
		lost := w.claim("c").Status.SandboxStatus.Name
		w.updateSandbox(lost, func(s *agentsv1beta1.Sandbox) { s.Finalizers = []string{"example.com/hold"} })
		w.deleteSandbox(lost)
		w.settle()
		if got := apis.FindCondition(
			w.claim("c").Status.Conditions,
			apis.ConditionReady,
		); got.Reason != string(apis.ReasonSandboxMissing) {
			t.Errorf("%s: while it goes: %s %s", name, got.Reason, got.Message)
		}
		w.updateSandbox(lost, func(s *agentsv1beta1.Sandbox) { s.Finalizers = nil })
		w.settle()
		w.checkOneToOne()
		if len(w.ownedBy("c-uid")) != 1 {
			t.Errorf("%s: %v", name, w.snapshot())
		}
	}
}
