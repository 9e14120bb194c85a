// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Words of the kubelet that flap: a container that cannot start goes back and forth between them, and the status must not.
const (
	imagePullBackOff = "ImagePullBackOff"
	crashLoopBackOff = "CrashLoopBackOff"
)

// ending says whether the Pod has ended for good, and how.
func ending(pod *corev1.Pod) (ended bool, reason apis.Reason, message string) {
	switch {
	case pod == nil:
		return false, "", ""
	case pod.Status.Phase == corev1.PodSucceeded:
		return true, apis.ReasonPodSucceeded, "Pod has succeeded" + exits(pod)
	case pod.Status.Phase == corev1.PodFailed:
		return true, apis.ReasonPodFailed, "Pod has failed" + exits(pod)
	}
	return false, "", ""
}

// exits lists how the containers ended, and the kubelet's own reason when it ended the Pod (Evicted, say).
func exits(pod *corev1.Pod) string {
	var parts []string
	if pod.Status.Reason != "" {
		parts = append(parts, strings.TrimSuffix(pod.Status.Reason+": "+pod.Status.Message, ": "))
	}
	for _, status := range containerStatuses(pod) {
		if t := status.State.Terminated; t != nil {
			parts = append(parts, fmt.Sprintf("container %s exited with code %d (%s)", status.Name, t.ExitCode, t.Reason))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// podReadiness says whether the Pod is ready, and if not, why, in words that stay the same while the cause does. going is
// what a new Pod waits for.
func podReadiness(pod *corev1.Pod, going string) (bool, string) {
	if pod == nil {
		if going != "" {
			return false, apis.MessagePodMissing + ": waiting until " + going + " is gone"
		}
		return false, apis.MessagePodMissing
	}
	message := apis.MessagePodPhase + string(pod.Status.Phase)
	if pod.Status.Phase == "" {
		message = apis.MessagePodPhase + string(corev1.PodPending)
	}
	if pod.Status.Phase == corev1.PodRunning {
		message = apis.MessagePodNotReady
		if conditionTrue(pod, corev1.PodReady) && len(pod.Status.PodIPs) > 0 && pod.DeletionTimestamp == nil {
			return true, apis.MessagePodReady
		}
	}
	if going != "" {
		return false, message + ": waiting until " + going + " is gone"
	}
	if why := obstacle(pod); why != "" {
		message += ": " + why
	}
	return false, message
}

// obstacle is what keeps a Pod from being ready: the scheduler's word, else the containers'.
func obstacle(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return strings.TrimSuffix(c.Reason+": "+c.Message, ": ")
		}
	}
	var parts []string
	for _, status := range containerStatuses(pod) {
		if why := containerObstacle(&status); why != "" {
			parts = append(parts, "container "+status.Name+": "+why)
		}
	}
	return strings.Join(parts, "; ")
}

func containerObstacle(status *corev1.ContainerStatus) string {
	waiting := status.State.Waiting
	switch {
	case waiting != nil && (waiting.Reason == "ErrImagePull" || waiting.Reason == imagePullBackOff):
		return fmt.Sprintf("%s: cannot pull image %q%s", imagePullBackOff, status.Image, pullCause(waiting.Message))
	case waiting != nil && waiting.Reason == crashLoopBackOff, status.State.Terminated != nil && status.RestartCount > 0:
		last := status.LastTerminationState.Terminated
		if status.State.Terminated != nil {
			last = status.State.Terminated
		}
		if last == nil {
			return crashLoopBackOff
		}
		return fmt.Sprintf("%s: exited with code %d (%s)", crashLoopBackOff, last.ExitCode, last.Reason)
	case waiting != nil && waiting.Reason != "" && waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing":
		return strings.TrimSuffix(waiting.Reason+": "+waiting.Message, ": ")
	}
	return ""
}

// pullCause is the runtime's reason for a failed pull; the kubelet repeats it behind its own word while it backs off.
func pullCause(message string) string {
	if _, cause, found := strings.Cut(message, "ErrImagePull: "); found {
		message = cause
	} else if strings.HasPrefix(message, "Back-off pulling image") {
		return ""
	}
	if message == "" {
		return ""
	}
	return ": " + message
}

func containerStatuses(pod *corev1.Pod) []corev1.ContainerStatus {
	all := slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
	slices.SortStableFunc(all, func(a, b corev1.ContainerStatus) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func conditionTrue(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == kind && c.Status == corev1.ConditionTrue
	})
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}
