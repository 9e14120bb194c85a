// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
)

// killedReconcile reconciles with an operator that dies at its n-th write: after the API server has carried it out, or
// before. It reports whether the reconcile got that far.
func (w *world) killedReconcile(template *extensionsv1beta1.SandboxTemplate, n int, after bool) (killed bool) {
	w.t.Helper()
	w.onWrite = simulation.KillAt(n, after)
	defer func() { w.onWrite = nil }()
	return simulation.Killed(func() { _, _ = w.reconciler.Reconcile(context.Background(), template) })
}

// settle reconciles until nothing is written any more.
func (w *world) settle(template *extensionsv1beta1.SandboxTemplate) {
	w.t.Helper()
	simulation.Settle(w.t, 10, &w.writes, func() bool {
		w.reconcile(template)
		return false
	})
}

// snapshot returns all policies as JSON, without resource versions.
func (w *world) snapshot() (all []string) {
	w.t.Helper()
	var list networkingv1.NetworkPolicyList
	if err := w.store.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	for _, p := range list.Items {
		p.ResourceVersion = ""
		encoded, err := json.Marshal(p)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, string(encoded))
	}
	return all
}

func (w *world) edit(change func(*networkingv1.NetworkPolicy)) {
	w.t.Helper()
	var p networkingv1.NetworkPolicy
	if err := w.store.Get(
		context.Background(), client.ObjectKey{Namespace: builders.Namespace, Name: "python-network-policy"}, &p,
	); err != nil {
		w.t.Fatal(err)
	}
	change(&p)
	if err := w.store.Update(context.Background(), &p); err != nil {
		w.t.Fatal(err)
	}
}

func TestKilledAtAnyWriteAndStartedAgain(t *testing.T) {
	invalid := apierrors.NewInvalid(networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy").GroupKind(), "x", nil)
	open := func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.NetworkPolicy = &extensionsv1beta1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{}}}
	}
	scenarios := map[string]struct {
		template *extensionsv1beta1.SandboxTemplate
		start    func() *world
		writes   int
	}{
		"made": {newTemplate(), func() *world { return newWorld(t) }, 1},
		"its rules were edited": {newTemplate(), func() *world {
			return newWorld(t, newPolicy(func(p *networkingv1.NetworkPolicy) { p.Spec.Egress = nil }))
		}, 1},
		"it lost its label": {newTemplate(), func() *world {
			return newWorld(t, newPolicy(func(p *networkingv1.NetworkPolicy) { p.Labels = nil }))
		}, 1},
		"the template has rules of its own now": {
			newTemplate(builders.WithTemplateSpec(open)), func() *world { return newWorld(t, newPolicy(nil)) }, 1,
		},
		"it goes with its template, as older operators had it": {newTemplate(), func() *world {
			return newWorld(
				t, newPolicy(withController("extensions.agents.x-k8s.io/v1beta1", "SandboxTemplate", "python", "template-uid")),
			)
		}, 1},
		"managed no more": {
			newTemplate(builders.WithTemplateSpec(unmanaged)), func() *world { return newWorld(t, newPolicy(nil)) }, 1,
		},
		"rules that no server takes": {newTemplate(builders.WithTemplateSpec(open)), func() *world {
			w := newWorld(t)
			w.rejectRules = invalid
			return w
		}, 2},
		"somebody else's": {newTemplate(), func() *world { return newWorld(t, newPolicy(makeForeign)) }, 0},
		"somebody else's, and managed no more": {
			newTemplate(builders.WithTemplateSpec(unmanaged)), func() *world { return newWorld(t, newPolicy(makeForeign)) }, 0,
		},
	}
	for name, tt := range scenarios {
		t.Run(name, func(t *testing.T) {
			undisturbed := tt.start()
			undisturbed.settle(tt.template)
			want := undisturbed.snapshot()
			for n := 1; n <= tt.writes+1; n++ {
				for _, after := range []bool{false, true} {
					w := tt.start()
					if killed := w.killedReconcile(tt.template, n, after); killed != (n <= tt.writes) {
						t.Errorf("the reconcile reaches write %d: %t", n, killed)
					}
					w.settle(tt.template)
					if diff := cmp.Diff(want, w.snapshot()); diff != "" {
						t.Errorf("killed at write %d (done: %t) (-undisturbed +got):\n%s", n, after, diff)
					}
				}
			}
		})
	}
}

func TestAPolicyThatSomebodyTakesOverBetweenReadAndWriteIsTheirs(t *testing.T) {
	for name, template := range map[string]*extensionsv1beta1.SandboxTemplate{
		"patched": newTemplate(), "deleted": newTemplate(builders.WithTemplateSpec(unmanaged)),
	} {
		w := newWorld(t, newPolicy(func(p *networkingv1.NetworkPolicy) { p.Spec.Egress = nil }))
		var taken []string
		w.onWrite = func(_ string, do func() error) error {
			w.edit(makeForeign)
			taken = w.snapshot()
			return do()
		}
		if again := w.reconcile(template); again != waits.Conflict {
			t.Errorf("%s: again in %s", name, again)
		}
		w.onWrite = nil
		w.settle(template)
		if diff := cmp.Diff(taken, w.snapshot()); diff != "" {
			t.Errorf("%s (-theirs +now):\n%s", name, diff)
		}
	}
}

func TestAPolicyMadeMeanwhileIsLookedAtAgain(t *testing.T) {
	w := newWorld(t)
	w.onWrite = func(_ string, do func() error) error {
		w.onWrite = nil
		if err := w.store.Create(context.Background(), newPolicy(makeForeign)); err != nil {
			t.Fatal(err)
		}
		return do()
	}
	if again := w.reconcile(newTemplate()); again != waits.Conflict {
		t.Errorf("again in %s", again)
	}
	before := w.snapshot()
	w.settle(newTemplate())
	if diff := cmp.Diff(before, w.snapshot()); diff != "" {
		t.Errorf("somebody else's policy (-before +after):\n%s", diff)
	}
}
