// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// scaledToZero is the Deployment of an operator without replicas.
func scaledToZero() *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "agent-sandbox-system", Name: "agent-sandbox-controller"},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(0))},
	}
}

// leaderless is the Deployment of an operator whose replicas wait for a Lease that does not exist.
func leaderless() *appsv1.Deployment {
	d := scaledToZero()
	d.Spec.Replicas, d.Status.AvailableReplicas = new(int32(2)), 2
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: d.Name, Args: []string{"--leader-elect=true"}}}
	return d
}

func TestTheTitleSaysInRedThatNoOperatorLooksAfterWhatIsShown(t *testing.T) {
	for says, objects := range map[string][]runtime.Object{
		"operator scaled to zero": {scaledToZero()}, "no operator found": nil, "no operator leads": {leaderless()},
	} {
		for _, width := range []int{120, 80, 40} {
			w := filled(t.Context(), width, 24, func(o *Options) {
				o.Kubernetes, o.Color = fake.NewClientset(objects...), true
			})
			if strings.Contains(w.title(), "operator") {
				t.Errorf("before anybody looked: %q", w.title())
			}
			for range 2 { // a Lease that looks expired is checked once more
				w.Update(w.checkOperator(0)())
			}
			for _, keys := range []string{"", "enter", "y", "E", "t"} {
				typed(t, w, keys)
				if !strings.Contains(w.title(), w.theme.Paint(view.Bad, w.theme.Problem+" "+says)) {
					t.Errorf("at width %d after %q: %q", width, keys, w.title())
				}
			}
			w.height = 5
			if !strings.Contains(w.summary(), says) {
				t.Errorf("in one line: %q", w.summary())
			}
			w.Update(operatorMsg{})
			if strings.Contains(w.title(), says) {
				t.Errorf("when one runs again: %q", w.title())
			}
		}
	}
}

func TestTheTitleClaimsNothingThatNobodyKnows(t *testing.T) {
	w := filled(t.Context(), 120, 24)
	asked := 0
	w.findProblem = func(context.Context, string) (operator.Problem, bool, error) {
		asked++
		return operator.Problem{}, false, nil
	}
	if cmd := w.handleOperatorCheck(w.checkOperator(0)().(operatorMsg)); cmd != nil || w.operatorProblem != "" {
		t.Error("who may not look looks again and again")
	}
	w.findProblem = func(context.Context, string) (operator.Problem, bool, error) {
		return operator.Problem{}, false, errors.New("no answer")
	}
	if cmd := w.handleOperatorCheck(w.checkOperator(0)().(operatorMsg)); cmd == nil || w.operatorProblem != "" {
		t.Error("an answer that did not come is asked for no more, or taken for one")
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
