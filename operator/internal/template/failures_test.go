// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var errKilled = errors.New("killed")

// killedPass runs a pass that dies at its n-th write, before or after the server carries it out. It says whether the pass got
// that far.
func (w *world) killedPass(template *extensionsv1beta1.SandboxTemplate, n int, after bool) (died bool) {
	w.t.Helper()
	seen := 0
	w.intercept = func(do func() error) error {
		if seen++; seen < n {
			return do()
		}
		if after {
			_ = do()
		}
		panic(errKilled)
	}
	defer func() {
		w.intercept = nil
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, errKilled) {
				panic(p)
			}
			died = true
		}
	}()
	_, _ = w.reconciler.Reconcile(context.Background(), template)
	return false
}

// settle runs passes until one writes nothing.
func (w *world) settle(template *extensionsv1beta1.SandboxTemplate) {
	w.t.Helper()
	for range 10 {
		before := len(w.writes)
		w.pass(template)
		if len(w.writes) == before {
			return
		}
	}
	w.t.Fatalf("never settles: %v", w.writes)
}

// picture is all policies in words, free of versions.
func (w *world) picture() (all []string) {
	w.t.Helper()
	var list networkingv1.NetworkPolicyList
	if err := w.store.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	for _, p := range list.Items {
		p.ResourceVersion = ""
		words, err := json.Marshal(p)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, string(words))
	}
	return all
}

func (w *world) edit(change func(*networkingv1.NetworkPolicy)) {
	w.t.Helper()
	var p networkingv1.NetworkPolicy
	if err := w.store.Get(context.Background(), client.ObjectKey{Namespace: builders.Namespace, Name: "python-network-policy"}, &p); err != nil {
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
	lives := map[string]struct {
		template *extensionsv1beta1.SandboxTemplate
		life     func() *world
		writes   int
	}{
		"made": {python(), func() *world { return newWorld(t) }, 1},
		"its rules were edited": {python(), func() *world {
			return newWorld(t, policyOf(func(p *networkingv1.NetworkPolicy) { p.Spec.Egress = nil }))
		}, 1},
		"it lost its label": {python(), func() *world {
			return newWorld(t, policyOf(func(p *networkingv1.NetworkPolicy) { p.Labels = nil }))
		}, 1},
		"the template has rules of its own now": {python(builders.WithTemplateSpec(open)), func() *world { return newWorld(t, policyOf(nil)) }, 1},
		"it goes with its template, as older operators had it": {python(), func() *world {
			return newWorld(t, policyOf(controlledBy("extensions.agents.x-k8s.io/v1beta1", "SandboxTemplate", "python", "template-uid")))
		}, 1},
		"managed no more": {python(builders.WithTemplateSpec(unmanaged)), func() *world { return newWorld(t, policyOf(nil)) }, 1},
		"rules that no server takes": {python(builders.WithTemplateSpec(open)), func() *world {
			w := newWorld(t)
			w.refused = invalid
			return w
		}, 2},
		"somebody else's": {python(), func() *world { return newWorld(t, policyOf(theirs)) }, 0},
		"somebody else's, and managed no more": {
			python(builders.WithTemplateSpec(unmanaged)), func() *world { return newWorld(t, policyOf(theirs)) }, 0,
		},
	}
	for name, tt := range lives {
		t.Run(name, func(t *testing.T) {
			undisturbed := tt.life()
			undisturbed.settle(tt.template)
			want := undisturbed.picture()
			for n := 1; n <= tt.writes+1; n++ {
				for _, after := range []bool{false, true} {
					w := tt.life()
					if died := w.killedPass(tt.template, n, after); died != (n <= tt.writes) {
						t.Errorf("the pass reaches write %d: %t", n, died)
					}
					w.settle(tt.template)
					if diff := cmp.Diff(want, w.picture()); diff != "" {
						t.Errorf("killed at write %d (done: %t) (-undisturbed +got):\n%s", n, after, diff)
					}
				}
			}
		})
	}
}

func TestAPolicyThatSomebodyTakesOverBetweenReadAndWriteIsTheirs(t *testing.T) {
	for name, template := range map[string]*extensionsv1beta1.SandboxTemplate{
		"patched": python(), "deleted": python(builders.WithTemplateSpec(unmanaged)),
	} {
		w := newWorld(t, policyOf(func(p *networkingv1.NetworkPolicy) { p.Spec.Egress = nil }))
		var taken []string
		w.intercept = func(do func() error) error {
			w.edit(theirs)
			taken = w.picture()
			return do()
		}
		if again := w.pass(template); again != conflictRetry {
			t.Errorf("%s: again in %s", name, again)
		}
		w.intercept = nil
		w.settle(template)
		if diff := cmp.Diff(taken, w.picture()); diff != "" {
			t.Errorf("%s (-theirs +now):\n%s", name, diff)
		}
	}
}

func TestAPolicyMadeMeanwhileIsLookedAtAgain(t *testing.T) {
	w := newWorld(t)
	w.intercept = func(do func() error) error {
		w.intercept = nil
		if err := w.store.Create(context.Background(), policyOf(theirs)); err != nil {
			t.Fatal(err)
		}
		return do()
	}
	if again := w.pass(python()); again != conflictRetry {
		t.Errorf("again in %s", again)
	}
	before := w.picture()
	w.settle(python())
	if diff := cmp.Diff(before, w.picture()); diff != "" {
		t.Errorf("somebody else's policy (-before +after):\n%s", diff)
	}
}
