// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
)

// Unschedulable says whether the scheduler has looked at the Pod and found no node for it.
func Unschedulable(pod *corev1.Pod) bool {
	return podreason.IsUnschedulable(pod)
}

// schedulingGateFinding is the finding about a Pod that the scheduler does not look at yet: somebody holds it back, as a queue does.
func schedulingGateFinding(subject string, pod *corev1.Pod) Finding {
	names := make([]string, 0, len(pod.Spec.SchedulingGates))
	for _, gate := range pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return Finding{State: Wait, Subject: subject, Text: "is held back until its scheduling gates are gone: " + strings.Join(names, ", "), problem: heldBack}
}

// nodeNotes say what each node lacks for the Pod, in the words of the nodes' own facts.
func nodeNotes(f *Snapshot) []Finding {
	if f.Capacity == nil {
		return nil
	}
	const most = 5 // there are not many reasons, and those that most nodes have come first
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

// notReadyNode says that the Pod's node is not Ready: whoever waits for the Pod waits for the node. Where the node was not read the Pod tells, for
// when a node falls silent Kubernetes takes Ready off its Pods and nothing else; a kubelet would say which containers are not ready.
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
	if ready == nil || ready.Status != corev1.ConditionFalse || containers == nil || containers.Status != corev1.ConditionTrue || len(f.Pod.Spec.ReadinessGates) > 0 {
		return nil
	}
	finding.Text = "is not Ready, by what its Pod says"
	return []Finding{finding}
}
