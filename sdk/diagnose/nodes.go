// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
)

// Unschedulable reports whether the scheduler has tried the Pod and found no node for it.
func Unschedulable(pod *corev1.Pod) bool {
	return podreason.IsUnschedulable(pod)
}

// schedulingGateFinding is the finding about a Pod with scheduling gates, which the scheduler does not consider yet; a
// queue like Kueue sets them.
func schedulingGateFinding(subject string, pod *corev1.Pod) Finding {
	names := make([]string, 0, len(pod.Spec.SchedulingGates))
	for _, gate := range pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return Finding{
		State: Wait, Subject: subject,
		Text: "is held back until its scheduling gates are gone: " + strings.Join(names, ", "), problem: heldBack,
	}
}

// nodeNotes describes what each node lacks for the Pod.
func nodeNotes(f *Snapshot) []Finding {
	if f.Capacity == nil {
		return nil
	}
	const most = 5 // there are few reasons, and the most frequent ones come first
	var all []Finding
	reasons := f.Capacity.Reasons()
	for i, reason := range reasons {
		if i == most {
			all = append(all, Finding{State: Note, Subject: "nodes", Text: fmt.Sprintf("%d more reasons", len(reasons)-most)})
			break
		}
		all = append(all, Finding{State: Note, Subject: reason.Subject(), Text: reason.Why})
	}
	for _, node := range f.Capacity.Nodes {
		if node.Fits > 0 {
			all = append(all, Finding{State: Note, Subject: "node " + node.Name, Text: "has room now" + unchecked(f)})
			break
		}
	}
	return all
}

func unchecked(f *Snapshot) string {
	if len(f.Capacity.Unchecked) == 0 {
		return ": the scheduler will look again"
	}
	return ", as far as can be told without " + strings.Join(f.Capacity.Unchecked, "; ")
}

// notReadyNode reports that the Pod's node is not Ready. If the node was not read, the Pod shows it: when a node stops
// reporting, Kubernetes sets only the Pods' Ready to false, while a kubelet would also report the containers.
func notReadyNode(f *Snapshot) []Finding {
	if f.Pod.Spec.NodeName == "" {
		return nil
	}
	finding := Finding{State: Bad, Subject: "node " + f.Pod.Spec.NodeName, problem: lostNode}
	if f.Node != nil {
		for i := range f.Node.Status.Conditions {
			if c := &f.Node.Status.Conditions[i]; c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
				finding.Text = "is not Ready: " + firstOf(c.Message, c.Reason)
				return []Finding{finding}
			}
		}
		return nil
	}
	ready, containers := podCondition(f.Pod, corev1.PodReady), podCondition(f.Pod, corev1.ContainersReady)
	if ready == nil || ready.Status != corev1.ConditionFalse || containers == nil ||
		containers.Status != corev1.ConditionTrue || len(f.Pod.Spec.ReadinessGates) > 0 {
		return nil
	}
	finding.Text = "is not Ready, by what its Pod says"
	return []Finding{finding}
}
