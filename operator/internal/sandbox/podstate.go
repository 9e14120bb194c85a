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

// finishedCondition says whether the Pod's work has ended by itself, and how.
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

// showsPodIPs says whether a Pod's addresses may lead anybody to it: one that was taken away, or is about to be, is no address.
func showsPodIPs(pod *corev1.Pod) bool {
	end := ending.Of(pod)
	return end.Cause == ending.None || end.Finished()
}

// exitMessage lists how the containers ended, and the kubelet's own reason when it ended the Pod (DeadlineExceeded, say).
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

// podReadiness says whether the Pod is ready, and if not, why, in words that stay the same while the cause does. going is
// what a new Pod waits for.
func podReadiness(pod *corev1.Pod, going string) (bool, string) {
	if pod == nil {
		if going != "" {
			return false, apis.MessagePodMissing + ": waiting until " + going + " is gone"
		}
		return false, apis.MessagePodMissing
	}
	if end := ending.Of(pod); end.Cause != ending.None && !end.Finished() {
		return false, removedPodMessage(pod, end, going)
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
	if going != "" {
		return false, message + ": waiting until " + going + " is gone"
	}
	if why := podreason.Message(pod); why != "" {
		message += ": " + why
	}
	return false, message
}

// removedPodMessage says who took a Pod away. It stays the same while the Pod goes, whatever phases it shows on its way.
func removedPodMessage(pod *corev1.Pod, end ending.Ending, going string) string {
	message := apis.MessagePodDeleted
	if !end.Going {
		message = apis.MessagePodPhase + string(pod.Status.Phase)
	}
	if end.Why != "" {
		message += ": " + end.Why
	}
	if going != "" {
		message += ": waiting until " + going + " is gone"
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
