// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestAnswersOfTheServer(t *testing.T) {
	sandboxes := corev1.Resource("sandboxes")
	tests := map[string]struct {
		answer    error
		carryOut  bool // although the answer is an error
		wantErr   bool
		wantEvent string
	}{
		"a member that the server will never take is reported": {
			answer:    apierrors.NewInvalid(extensionsv1beta1.SchemeGroupVersion.WithKind("Sandbox").GroupKind(), "x", nil),
			wantEvent: "MemberRejected",
		},
		"a full quota is reported and tried again": {
			answer: apierrors.NewForbidden(sandboxes, "x", errors.New("exceeded quota")), wantErr: true,
			wantEvent: "MemberRejected",
		},
		"a name that is taken is no error": {answer: apierrors.NewAlreadyExists(sandboxes, "x")},
		"a server that is ill is tried again": {answer: apierrors.NewInternalError(errors.New("ill")),
			wantErr: true},
		"an answer that is lost leaves no member uncounted": {answer: errors.New("connection reset"), carryOut: true,
			wantErr: true},
		"a time-out after which the member is there counts it": {answer: apierrors.NewTimeoutError("late", 1), carryOut: true,
			wantErr: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testOptions, python(), poolOfThree())
			w.intercept = func(what string, do func() error) error {
				if what != "create Sandbox" {
					return do()
				}
				if tt.carryOut {
					_ = do()
				}
				return tt.answer
			}
			if _, err := w.pass(); (err != nil) != tt.wantErr {
				t.Errorf("error %v", err)
			}
			if got := fmt.Sprint(w.events()); !strings.Contains(got, tt.wantEvent) || (tt.wantEvent == "" && got != "[]") {
				t.Errorf("events %s", got)
			}
			w.intercept = nil
			if _, err := w.pass(); err != nil { // with the cache still empty
				t.Fatal(err)
			}
			if n := len(w.members()); n > 3 {
				t.Errorf("%d members", n)
			}
			w.clock.SetTime(w.clock.Now().Add(time.Minute))
			w.settle()
			w.expectMembers(3)
		})
	}
}

func TestKilledBetweenAnyTwoWritesAndStartedAgain(t *testing.T) {
	life := []struct {
		name string
		do   func(*world)
		want int
	}{
		{"created", func(*world) {}, 3},
		{"a claim takes one", func(w *world) { w.makeReady(); w.adoptByClaim(w.members()[0]) }, 3},
		{"scaled down", func(w *world) { w.scale(1) }, 1},
		{"scaled up", func(w *world) { w.scale(5) }, 5},
		{"a new template", func(w *world) { w.updateTemplate(image("localhost/python:v2")) }, 5},
		{"scaled to nothing", func(w *world) { w.scale(0) }, 0},
	}
	for i, step := range life {
		for n := 1; n < 30; n++ {
			reached := false
			for _, after := range []bool{false, true} {
				w := newWorld(t, testOptions, python(),
					poolOfThree(builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)))
				for _, earlier := range life[:i] {
					earlier.do(w)
					w.settle()
				}
				step.do(w)
				w.syncCache()
				reached = w.crashingPass(n, after) || reached
				if got := len(w.members()); got > max(5, step.want) {
					t.Errorf("%s, killed at write %d: %d members", step.name, n, got)
				}
				w.settle()
				w.expectMembers(step.want)
				if s := w.pool().Status; int(s.Replicas) != step.want {
					t.Errorf("%s, killed at write %d (done: %t): status %+v", step.name, n, after, s)
				}
			}
			if !reached {
				break
			}
		}
	}
}

func TestUnfitMembers(t *testing.T) {
	unschedulable := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
		Reason: corev1.PodReasonUnschedulable}
	finish := func(w *world, name string) { w.setCondition(name, apis.ConditionFinished, true) }
	tests := map[string]struct {
		prepare func(w *world, name string)
		after   time.Duration
		kept    bool
	}{
		"one that finished is replaced":                     {finish, time.Minute, false},
		"one that finished at once is not replaced at once": {finish, time.Second, true},
		"one that is not Ready has time":                    {func(*world, string) {}, 4 * time.Minute, true},
		"and is replaced after it":                          {func(*world, string) {}, 6 * time.Minute, false},
		"one that no node takes is held": {func(w *world, name string) {
			w.create(podOf(w.stored()[name], unschedulable))
		}, time.Hour, true},
		"one that got a node late has its time from then on": {func(w *world, name string) {
			at := testNow.Add(58 * time.Minute)
			w.create(podOf(w.stored()[name], corev1.PodCondition{
				Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1Time(at),
			}))
		}, time.Hour, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testOptions, python(), poolOfThree(builders.WithReplicas(1)))
			w.settle()
			member := w.expectMembers(1)[0]
			tt.prepare(w, member)
			w.clock.SetTime(testNow.Add(tt.after))
			w.syncCache()
			if _, err := w.pass(); err != nil {
				t.Fatal(err)
			}
			if kept := slices.Contains(w.members(), member); kept != tt.kept {
				t.Errorf("kept: %t", kept)
			}
		})
	}
}

func TestNothingIsRememberedOfAPoolThatIsGone(t *testing.T) {
	w := newWorld(t, testOptions, python(), poolOfThree())
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	expectations, states := w.reconciler.expectations, w.reconciler.states
	if len(expectations.pools) != 1 || len(expectations.creations) != 3 || len(states.pools) != 1 {
		t.Fatalf("expected: %+v, states: %+v", expectations, states)
	}
	if err := w.store.Delete(context.Background(), w.pool()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	if len(expectations.pools) != 0 || len(expectations.creations) != 0 || len(states.pools) != 0 {
		t.Errorf("remembered: %+v, %+v", expectations, states)
	}
}

func TestAStatusFromAnOldPictureOverwritesNothing(t *testing.T) {
	w := newWorld(t, testOptions, python(), poolOfThree())
	w.intercept = func(what string, do func() error) error {
		if what == "patch SandboxWarmPool/status" {
			p := w.pool()
			p.Status.ReadyReplicas = 2
			if err := w.store.Status().Update(context.Background(), p); err != nil {
				t.Fatal(err)
			}
		}
		return do()
	}
	if again, err := w.pass(); err != nil || again != waits.Conflict {
		t.Errorf("again in %s, %v", again, err)
	}
	if s := w.pool().Status; s.Replicas != 0 || s.ReadyReplicas != 2 {
		t.Errorf("status %+v", s)
	}
	w.intercept = nil
	w.settle()
	if s := w.pool().Status; s.Replicas != 3 || s.ReadyReplicas != 0 {
		t.Errorf("a forged status stays: %+v", s)
	}
}
