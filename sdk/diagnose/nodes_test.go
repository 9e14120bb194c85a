// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// pending returns a Pod without a node.
func pending(reason, message string) *corev1.Pod {
	p := pod(corev1.ContainerStatus{})
	p.Spec.NodeName, p.Status.ContainerStatuses = "", nil
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message},
	}
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
	d := diagnose.Of(diagnose.Snapshot{
		Now: now, Sandbox: sandbox(notReady), Pod: pending(corev1.PodReasonUnschedulable, "0/3 nodes are available"),
		Capacity: &capacity.Answer{Nodes: []capacity.Node{
			{
				Name: "a", Why: "cpu: 4 needed, 1 of 2 free",
			},
			{Name: "b", Why: "it is cordoned"},
			{Name: "c", Why: "cpu: 4 needed, 1 of 2 free"},
			{Name: "d", Fits: 1},
		}},
	})
	want := "problem Pod dev: no node takes it: 0/3 nodes are available\nnote nodes a, c: cpu: 4 needed, 1 of 2 free\n" +
		"note node b: it is cordoned\n" +
		"note node d: has room now: the scheduler will look again"
	if got := texts(d.Scheduling); got != want || d.Verdict != diagnose.Blocked {
		t.Errorf("%s\n%s", d.Verdict, got)
	}
}

func TestAPodInAQueueIsNotBlocked(t *testing.T) {
	p := pending(corev1.PodReasonSchedulingGated, "Scheduling is blocked due to non-empty scheduling gates")
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "kueue.x-k8s.io/admission"}}
	d := diagnose.Of(diagnose.Snapshot{Now: now, Sandbox: sandbox(notReady), Pod: p})
	if got := texts(d.Scheduling); d.Verdict != diagnose.Starting ||
		!strings.Contains(got, "until its scheduling gates are gone: kueue.x-k8s.io/admission") {
		t.Errorf("%s\n%s", d.Verdict, got)
	}
	if len(d.Next) != 1 || !strings.Contains(d.Next[0].Text, "Kueue") {
		t.Errorf("next: %+v", d.Next)
	}
}

func TestANodeThatIsNotReadyIsNamedWithTheCure(t *testing.T) {
	on := func(ready corev1.ConditionStatus) *corev1.Node {
		n := &corev1.Node{}
		n.Status.Conditions = []corev1.NodeCondition{
			{
				Type: corev1.NodeReady, Status: ready, Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status.",
			},
		}
		return n
	}
	says := func(ready, containers corev1.ConditionStatus) *corev1.Pod {
		p := pod(corev1.ContainerStatus{Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})
		p.Status.Phase = corev1.PodRunning
		p.Status.Conditions = []corev1.PodCondition{
			{Type: corev1.PodReady, Status: ready}, {Type: corev1.ContainersReady, Status: containers},
		}
		return p
	}
	gated := says(corev1.ConditionFalse, corev1.ConditionTrue)
	gated.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.com/gate"}}
	going := says(corev1.ConditionFalse, corev1.ConditionTrue)
	going.DeletionTimestamp = &metav1.Time{Time: now}
	tests := map[string]struct {
		pod  *corev1.Pod
		node *corev1.Node
		want string // of the obstacle; empty: the nodes are no obstacle
	}{
		"a node that is not heard of": {
			says(corev1.ConditionFalse, corev1.ConditionTrue), on(corev1.ConditionUnknown),
			"node n1: is not Ready: Kubelet stopped posting node status.",
		},
		"a node that is not Ready, before its Pods show it": {
			says(corev1.ConditionFalse, corev1.ConditionFalse), on(corev1.ConditionFalse),
			"node n1: is not Ready: Kubelet stopped posting node status.",
		},
		"a node that nobody may read, by the Pod": {
			says(corev1.ConditionFalse, corev1.ConditionTrue), nil, "node n1: is not Ready, by what its Pod says",
		},
		"a Pod that is deleted from such a node waits for it too": {
			going, nil, "node n1: is not Ready, by what its Pod says",
		},
		"a Pod whose containers are not ready": {
			says(corev1.ConditionFalse, corev1.ConditionFalse), nil, "",
		},
		"a Pod with a gate of its own": {gated, nil, ""},
		"a node that is Ready": {
			says(corev1.ConditionFalse, corev1.ConditionTrue), on(corev1.ConditionTrue), "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := diagnose.Of(diagnose.Snapshot{Now: now, Sandbox: sandbox(notReady), Pod: tt.pod, Node: tt.node})
			if tt.want == "" {
				if strings.Contains(d.Obstacle, "node") || d.Verdict != diagnose.Starting {
					t.Errorf("%s: %s", d.Verdict, d.Obstacle)
				}
				return
			}
			if d.Obstacle != tt.want || d.Verdict != diagnose.Blocked || d.Lasting {
				t.Errorf("%s: %s", d.Verdict, d.Obstacle)
			}
			if len(d.Next) != 2 || !strings.Contains(d.Next[0].Text, "kubectl describe node n1") ||
				!strings.Contains(d.Next[1].Text, "kubectl delete node n1") {
				t.Errorf("next: %+v", d.Next)
			}
		})
	}
}
