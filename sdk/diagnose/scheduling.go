// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
)

// Reasons of events about volumes.
const (
	eventFailedMount          = "FailedMount"
	eventProvisioningFailed   = "ProvisioningFailed"
	eventFailedBinding        = "FailedBinding"
	eventWaitForFirstConsumer = "WaitForFirstConsumer"
)

// schedulingFindings is the second layer: the volumes, and the node for the Pod.
func schedulingFindings(snapshot *Snapshot) []Finding {
	var all []Finding
	for i := range snapshot.Volumes {
		all = append(all, volumeFinding(snapshot, &snapshot.Volumes[i]))
	}
	pod := snapshot.Pod
	if pod == nil {
		return append(all, noPodFinding(snapshot))
	}
	subject := "Pod " + pod.Name
	all = append(all, notReadyNode(snapshot)...)
	if pod.DeletionTimestamp != nil {
		return append(
			all,
			Finding{State: Wait, Subject: subject, Text: withMessage("is being deleted", oneLine(ending.Of(pod).Message))},
		)
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		return append(all, schedulingGateFinding(subject, pod))
	}
	if c := podCondition(pod, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionFalse {
		all = append(
			all,
			Finding{
				State: Bad, Subject: subject, Text: "no node takes it: " + firstOf(c.Message, c.Reason), problem: unschedulable,
			},
		)
		return append(all, nodeNotes(snapshot)...)
	}
	if pod.Spec.NodeName == "" {
		return append(all, Finding{State: Wait, Subject: subject, Text: "has no node yet"})
	}
	all = append(all, Finding{State: Good, Subject: subject, Text: "is on node " + pod.Spec.NodeName})
	if starting(pod) {
		all = append(
			all, warningFindings(snapshot, "Pod", pod.Name, eventFailedMount, "FailedAttachVolume", "FailedCreatePodSandBox")...,
		)
	}
	return all
}

// noPodFinding is the finding of the lower layers if there is no Pod.
func noPodFinding(snapshot *Snapshot) Finding {
	if snapshot.PodHidden {
		return Finding{State: Note, Subject: "Pod", Text: "not shown: you may not read Pods"}
	}
	return Finding{State: Note, Subject: "Pod", Text: "there is none"}
}

// warningFindings returns the latest warning event about an object with one of the reasons, as a finding.
func warningFindings(snapshot *Snapshot, kind, name string, reasons ...string) []Finding {
	latest := latestEvent(snapshot, kind, name, func(e *corev1.Event) bool { return slices.Contains(reasons, e.Reason) })
	if latest == nil {
		return nil
	}
	lasting := latest.Reason == eventFailedMount && eventCount(latest) >= lastingAttempts && !mountsStorage(snapshot.Pod)
	finding := Finding{State: Bad, Subject: kind + " " + name, Lasting: lasting}
	finding.quote(latest.Reason, oneLine(latest.Message))
	return []Finding{finding}
}

// mountsStorage reports whether the Pod mounts volumes of a storage system, which may take several attempts. Other
// volumes come from objects of the API server or from the node.
func mountsStorage(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool {
		source := &volume.VolumeSource
		return source.Secret == nil && source.ConfigMap == nil && source.Projected == nil && source.DownwardAPI == nil &&
			source.EmptyDir == nil && source.HostPath == nil
	})
}

func starting(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodPending }

// PodReady reports whether the Pod's Ready condition is true.
func PodReady(pod *corev1.Pod) bool {
	c := podCondition(pod, corev1.PodReady)
	return c != nil && c.Status == corev1.ConditionTrue
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return oneLine(text)
		}
	}
	return "no reason given"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
