// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// pending is a Pod on no node.
func pending(reason, message string) *corev1.Pod {
	p := pod(corev1.ContainerStatus{})
	p.Spec.NodeName, p.Status.ContainerStatuses = "", nil
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message}}
	return p
}

func texts(findings []diagnose.Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, string(f.State)+" "+f.Subject+": "+f.Text)
	}
	return strings.Join(all, "\n")
}

func TestWhatEachNodeLacksFollowsTheSchedulersWords(t *testing.T) {
	d := diagnose.Of(diagnose.Facts{
		Now: now, Sandbox: sandbox(notReady), Pod: pending(corev1.PodReasonUnschedulable, "0/3 nodes are available"),
		Capacity: &capacity.Answer{Nodes: []capacity.Node{
			{Name: "a", Why: "cpu: 4 needed, 1 of 2 free"}, {Name: "b", Why: "it is cordoned"}, {Name: "c", Why: "cpu: 4 needed, 1 of 2 free"}, {Name: "d", Fits: 1},
		}},
	})
	want := "problem Pod dev: no node takes it: 0/3 nodes are available\nnote nodes a, c: cpu: 4 needed, 1 of 2 free\nnote node b: it is cordoned\n" +
		"note node d: has room now: the scheduler will look again"
	if got := texts(d.Scheduling); got != want || d.Verdict != diagnose.Blocked {
		t.Errorf("%s\n%s", d.Verdict, got)
	}
}

func TestAPodInAQueueIsNotBlocked(t *testing.T) {
	p := pending(corev1.PodReasonSchedulingGated, "Scheduling is blocked due to non-empty scheduling gates")
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "kueue.x-k8s.io/admission"}}
	d := diagnose.Of(diagnose.Facts{Now: now, Sandbox: sandbox(notReady), Pod: p})
	if got := texts(d.Scheduling); d.Verdict != diagnose.Starting || !strings.Contains(got, "until its scheduling gates are gone: kueue.x-k8s.io/admission") {
		t.Errorf("%s\n%s", d.Verdict, got)
	}
	if len(d.Next) != 1 || !strings.Contains(d.Next[0].Text, "Kueue") {
		t.Errorf("next: %+v", d.Next)
	}
}
