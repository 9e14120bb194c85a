// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
)

// finishedCondition reports whether the Pod's work ended by itself, with the reason and message of the condition
// Finished.
func finishedCondition(pod *corev1.Pod) (finished bool, reason apis.Reason, message string) {
	switch end := ending.Of(pod); {
	case !end.Finished():
		return false, "", ""
	case end.Cause == ending.Completed:
		return true, end.Reason(), "Pod has succeeded" + exitMessage(pod)
	default:
		return true, end.Reason(), "Pod has failed" + exitMessage(pod)
	}
}

// showsPodIPs reports whether the status shows the Pod's addresses: not if the Pod was evicted or lost, or is being
// deleted.
func showsPodIPs(pod *corev1.Pod) bool {
	end := ending.Of(pod)
	return end.Cause == ending.None || end.Finished()
}

// exitMessage lists how the containers exited and, if the kubelet ended the Pod, its reason (for example
// DeadlineExceeded).
func exitMessage(pod *corev1.Pod) string {
	var parts []string
	if pod.Status.Reason != "" {
		parts = append(parts, strings.TrimSuffix(pod.Status.Reason+": "+pod.Status.Message, ": "))
	}
	for _, status := range podreason.ContainerStatuses(pod) {
		if t := status.State.Terminated; t != nil {
			parts = append(parts, fmt.Sprintf("container %s exited with code %d (%s)", status.Name, t.ExitCode, t.Reason))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// podReadiness reports whether the Pod is ready, and if not, why. The message does not change while the cause stays the
// same. waitingFor names the object whose deletion blocks a new Pod.
func podReadiness(pod *corev1.Pod, waitingFor string) (bool, string) {
	if pod == nil {
		if waitingFor != "" {
			return false, apis.MessagePodMissing + ": waiting until " + waitingFor + " is gone"
		}
		return false, apis.MessagePodMissing
	}
	if end := ending.Of(pod); end.Cause != ending.None && !end.Finished() {
		return false, removedPodMessage(pod, end, waitingFor)
	}
	message := apis.MessagePodPhase + string(pod.Status.Phase)
	if pod.Status.Phase == "" {
		message = apis.MessagePodPhase + string(corev1.PodPending)
	}
	if pod.Status.Phase == corev1.PodRunning {
		message = apis.MessagePodNotReady
		if conditionTrue(pod, corev1.PodReady) && len(pod.Status.PodIPs) > 0 {
			return true, apis.MessagePodReady
		}
	}
	if waitingFor != "" {
		return false, message + ": waiting until " + waitingFor + " is gone"
	}
	if why := podreason.Message(pod); why != "" {
		message += ": " + why
	}
	return false, message
}

// removedPodMessage says who removed a Pod. It does not change while the Pod terminates, whatever phases the Pod goes
// through.
func removedPodMessage(pod *corev1.Pod, end ending.Ending, waitingFor string) string {
	message := apis.MessagePodDeleted
	if !end.Deleting {
		message = apis.MessagePodPhase + string(pod.Status.Phase)
	}
	if end.Message != "" {
		message += ": " + end.Message
	}
	if waitingFor != "" {
		message += ": waiting until " + waitingFor + " is gone"
	}
	return message
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
