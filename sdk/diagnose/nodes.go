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
func nodeNotes(snapshot *Snapshot) []Finding {
	if snapshot.Capacity == nil {
		return nil
	}
	const most = 5 // there are few reasons, and the most frequent ones come first
	var all []Finding
	reasons := snapshot.Capacity.Reasons()
	for i, reason := range reasons {
		if i == most {
			all = append(all, Finding{State: Note, Subject: "nodes", Text: fmt.Sprintf("%d more reasons", len(reasons)-most)})
			break
		}
		all = append(all, Finding{State: Note, Subject: reason.Subject(), Text: reason.Why})
	}
	for _, node := range snapshot.Capacity.Nodes {
		if node.Fits > 0 {
			all = append(all, Finding{State: Note, Subject: "node " + node.Name, Text: "has room now" + roomCaveat(snapshot)})
			break
		}
	}
	return all
}

// roomCaveat returns what restricts the statement that a node has room.
func roomCaveat(snapshot *Snapshot) string {
	if len(snapshot.Capacity.Unchecked) == 0 {
		return ": the scheduler will look again"
	}
	return ", as far as can be told without " + strings.Join(snapshot.Capacity.Unchecked, "; ")
}

// notReadyNode reports that the Pod's node is not Ready. If the node was not read, the Pod shows it.
func notReadyNode(snapshot *Snapshot) []Finding {
	if snapshot.Pod.Spec.NodeName == "" {
		return nil
	}
	finding := Finding{State: Bad, Subject: "node " + snapshot.Pod.Spec.NodeName, problem: lostNode}
	if snapshot.Node != nil {
		for i := range snapshot.Node.Status.Conditions {
			if c := &snapshot.Node.Status.Conditions[i]; c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
				finding.Text = "is not Ready: " + firstOf(c.Message, c.Reason)
				return []Finding{finding}
			}
		}
		return nil
	}
	if !podreason.IsOnNotReadyNode(snapshot.Pod) {
		return nil
	}
	finding.Text = "is not Ready, by what its Pod says"
	return []Finding{finding}
}
