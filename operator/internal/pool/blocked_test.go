// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"errors"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestWhatBlocksAPoolIsShown(t *testing.T) {
	w := newWorld(t, testOptions, poolOfThree())
	shown := func(want map[podreason.Cause]int) {
		t.Helper()
		w.settle()
		if !maps.Equal(w.blocked, want) {
			t.Errorf("blocked %v, want %v", w.blocked, want)
		}
	}
	shown(map[podreason.Cause]int{"TemplateNotFound": 3})
	w.create(python())
	shown(map[podreason.Cause]int{})
	pods := []builders.PodOption{builders.ImagePullError(), builders.Unschedulable("no room"), builders.CrashLoop(1, 2)}
	names := w.expectMembers(3)
	for i, name := range names {
		w.create(builders.Pod(name, builders.OwnedBy(w.stored()[name]), pods[i]))
	}
	shown(map[podreason.Cause]int{}) // they were made just now
	if again, err := w.pass(); err != nil || again <= 0 || again > waits.MemberStart {
		t.Errorf("it looks again after %v, %v", again, err)
	}
	w.clock.SetTime(w.clock.Now().Add(waits.MemberStart))
	shown(map[podreason.Cause]int{"ImagePull": 1, "Unschedulable": 1, "CrashLoop": 1})
	if again, err := w.pass(); err != nil || again != waits.Blocked {
		t.Errorf("it looks again after %v, %v", again, err)
	}
	writes := len(w.writes)
	for range 3 {
		w.clock.SetTime(w.clock.Now().Add(waits.Blocked))
		w.settle()
	}
	if len(w.writes) != writes {
		t.Errorf("it is only looked at, and written: %v", w.writes[writes:])
	}
	w.makeReady()
	shown(map[podreason.Cause]int{})
}

func TestMembersThatTheServerRefusesAreShown(t *testing.T) {
	w := newWorld(t, testOptions, python(), poolOfThree())
	w.intercept = func(write string, do func() error) error {
		if write == "create Sandbox" {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "sandboxes"}, "x", errors.New("exceeded quota"))
		}
		return do()
	}
	w.syncCache()
	if _, err := w.pass(); err == nil || w.blocked["MemberRejected"] != 3 {
		t.Errorf("%v, blocked %v", err, w.blocked)
	}
	w.intercept = nil
	w.settle()
	if len(w.blocked) != 0 {
		t.Errorf("blocked %v", w.blocked)
	}
}

func TestPodStateOf(t *testing.T) {
	at := testNow.Add(-time.Minute)
	scheduled := builders.Pod("a", builders.PodWith(func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.NewTime(at)}}
	}))
	if state := podStateOf(scheduled); !state.scheduledAt.Equal(at) || state.unschedulable ||
		state.cause != podreason.None {
		t.Errorf("%+v", state)
	}
	if state := podStateOf(builders.Pod("a", builders.Unschedulable("no room"))); !state.unschedulable ||
		state.cause != podreason.Unschedulable {
		t.Errorf("%+v", state)
	}
}
