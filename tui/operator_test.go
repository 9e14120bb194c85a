// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
)

// scaledToZero is the Deployment of an operator without replicas.
func scaledToZero() *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "agent-sandbox-system", Name: "agent-sandbox-controller"},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(0))},
	}
}

func TestTheTitleSaysInRedThatNoOperatorLooksAfterWhatIsShown(t *testing.T) {
	for _, width := range []int{120, 80, 40} {
		w := filled(t.Context(), width, 24, func(o *Options) {
			o.Kubernetes, o.Color = fake.NewClientset(scaledToZero()), true
		})
		if strings.Contains(w.title(), "operator") {
			t.Errorf("before anybody looked: %q", w.title())
		}
		msg := w.checkOperator(0)()
		w.Update(msg)
		const says = "operator scaled to zero"
		title := w.title()
		_, after, found := strings.Cut(title, "\x1b[1;38;2;")
		if !strings.Contains(title, says) || !found || after == "" {
			t.Errorf("at width %d: %q", width, title)
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
