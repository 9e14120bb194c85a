// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

func created(at time.Time, owner string) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) {
		s.CreationTimestamp = metav1.NewTime(at)
		if owner != "" {
			yes := true
			s.OwnerReferences = []metav1.OwnerReference{
				{APIVersion: "extensions.agents.x-k8s.io/v1beta1", Kind: owner, Name: "owner", UID: "o", Controller: &yes},
			}
		}
	}
}

func TestOnlyAPoolsSandboxMayStartWithoutAWord(t *testing.T) {
	tests := map[string]struct {
		with sandboxOption
		told bool // the reconcile that creates the Pod writes the status
		due  time.Duration
	}{
		"a pool's":                  {created(testNow, "SandboxWarmPool"), false, 5 * time.Second},
		"a pool's that takes long":  {created(testNow.Add(-5*time.Second), "SandboxWarmPool"), true, 0},
		"a clock that is ahead":     {created(testNow.Add(time.Hour), "SandboxWarmPool"), false, 5 * time.Second},
		"a claim's: somebody waits": {created(testNow, "SandboxClaim"), true, 0},
		"nobody's":                  {created(testNow, ""), true, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, box(tt.with))
			due, err := w.pass()
			if told := slices.Contains(w.writes, "patch Sandbox/status"); err != nil || told != tt.told || due != tt.due {
				t.Errorf("writes %v, again in %s, %v", w.writes, due, err)
			}
		})
	}
}

func TestAPoolsSandboxThatIsReadyInTimeTellsOnce(t *testing.T) {
	w := newWorld(t, box(created(testNow, "SandboxWarmPool")))
	w.settle()
	w.makePodsReady()
	w.settle()
	count := 0
	for _, write := range w.writes {
		if write == "patch Sandbox/status" {
			count++
		}
	}
	if c := w.sandbox().Status.Conditions; count != 1 || len(c) != 1 || c[0].Status != metav1.ConditionTrue {
		t.Errorf("writes %v, conditions %v", w.writes, c)
	}
}

func TestAPoolsSandboxThatCannotStartSaysSoAtOnce(t *testing.T) {
	w := newWorld(t, box(created(testNow, "SandboxWarmPool")))
	w.settle()
	pod, err := w.pod("box")
	if err != nil {
		t.Fatal(err)
	}
	pod.Status.Conditions = []corev1.PodCondition{
		{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
			Message: "0/3 nodes are available",
		},
	}
	if err := w.store.Status().Update(context.Background(), pod); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if c := w.sandbox().Status.Conditions; len(c) != 1 ||
		c[0].Message != "Pod exists with phase: Pending: Unschedulable: 0/3 nodes are available" {
		t.Errorf("conditions %v", c)
	}
}
