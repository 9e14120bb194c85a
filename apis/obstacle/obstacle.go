// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package obstacle says what keeps a Pod from being ready. It is the one place that knows the reasons of the scheduler and the
// kubelet: the operator, its metrics, the diagnosis and the dashboard use it.
//
// Invariants:
//   - the cause follows from reasons, which are words of the API, and never from a message;
//   - words that flap between attempts (ErrImagePull, ImagePullBackOff) give one cause and one text;
//   - what Text says, InMessage reads again.
package obstacle

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Cause is the class of what is in the way.
type Cause string

// The causes. A Pod that is only on its way has none.
const (
	None Cause = ""
	// ImagePull: an image cannot be pulled, or has no proper name.
	ImagePull Cause = "ImagePull"
	// ContainerConfig: a container cannot be made as it is written.
	ContainerConfig Cause = "ContainerConfig"
	// CrashLoop: a container ends again and again.
	CrashLoop Cause = "CrashLoop"
	// NoNode: no node takes the Pod.
	NoNode Cause = corev1.PodReasonUnschedulable
	// NoTemplate: what a pool's members are made from does not exist.
	NoTemplate Cause = Cause(apis.ReasonTemplateNotFound)
	// Rejected: the API server refuses what a pool makes.
	Rejected Cause = Cause(apis.ReasonMemberRejected)
)

// Words of the kubelet that more than one place compares.
const (
	imagePullBackOff  = "ImagePullBackOff"
	crashLoopBackOff  = "CrashLoopBackOff"
	invalidImageName  = "InvalidImageName"
	errImageNeverPull = "ErrImageNeverPull"
)

// OfReason is the cause behind the reason that a container waits for.
func OfReason(reason string) Cause {
	switch reason {
	case "ErrImagePull", imagePullBackOff, errImageNeverPull, invalidImageName, "RegistryUnavailable", "ImageInspectError", "SignatureValidationFailed":
		return ImagePull
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return ContainerConfig
	case crashLoopBackOff:
		return CrashLoop
	}
	return None
}

// HasNoName says that the text that should name an image does not: nothing was tried.
func HasNoName(reason string) bool { return reason == invalidImageName }

// NeverPulled says that the kubelet was told not to pull, so that waiting is in vain.
func NeverPulled(reason string) bool { return reason == errImageNeverPull }

// OfContainer is what keeps a container from running. One that has ended and was started before is between two crashes.
func OfContainer(status *corev1.ContainerStatus) Cause {
	switch {
	case status.State.Waiting != nil:
		return OfReason(status.State.Waiting.Reason)
	case status.State.Terminated != nil && status.RestartCount > 0:
		return CrashLoop
	}
	return None
}

// Unschedulable says whether the scheduler has looked at the Pod and found no node for it.
func Unschedulable(pod *corev1.Pod) bool {
	c := scheduled(pod)
	return c != nil && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
}

// Of is what keeps a Pod from being ready: the scheduler's word, else that of the first container.
func Of(pod *corev1.Pod) Cause {
	if Unschedulable(pod) {
		return NoNode
	}
	for _, status := range containers(pod) {
		if cause := OfContainer(&status); cause != None {
			return cause
		}
	}
	return None
}

// Text says what keeps a Pod from being ready, in words that stay the same while the cause does; empty if nothing does.
func Text(pod *corev1.Pod) string {
	if c := scheduled(pod); c != nil && c.Status == corev1.ConditionFalse {
		return strings.TrimSuffix(c.Reason+": "+c.Message, ": ")
	}
	var parts []string
	for _, status := range containers(pod) {
		if why := textOf(&status); why != "" {
			parts = append(parts, containerWord+status.Name+": "+why)
		}
	}
	return strings.Join(parts, "; ")
}

const containerWord = "container "

func textOf(status *corev1.ContainerStatus) string {
	waiting := status.State.Waiting
	switch cause := OfContainer(status); {
	case cause == ImagePull && waiting.Reason != invalidImageName:
		word := imagePullBackOff
		if waiting.Reason == errImageNeverPull {
			word = errImageNeverPull
		}
		return strings.TrimSuffix(fmt.Sprintf("%s: cannot pull image %q: %s", word, status.Image, PullError(waiting.Message)), ": ")
	case cause == CrashLoop:
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

// PullError is the runtime's reason for a failed pull; the kubelet repeats it behind its own word while it backs off.
func PullError(message string) string {
	for _, marker := range []string{"ErrImagePull: ", "RegistryUnavailable: "} {
		if _, cause, found := strings.Cut(message, marker); found {
			return cause
		}
	}
	if strings.HasPrefix(message, "Back-off pulling image") {
		return ""
	}
	return message
}

// InMessage is what the message of a Sandbox's Ready condition tells of its Pod, for those who do not look at that: the text,
// and the cause by the reasons in it.
func InMessage(message string) (text string, cause Cause) {
	_, text, _ = Cut(message)
	if reason, _, _ := strings.Cut(text, ":"); reason == corev1.PodReasonUnschedulable {
		return text, NoNode
	}
	for part := range strings.SplitSeq(text, "; ") {
		container, rest, _ := strings.Cut(part, ": ")
		reason, _, _ := strings.Cut(rest, ":")
		if cause := OfReason(reason); cause != None && strings.HasPrefix(container, containerWord) {
			return text, cause
		}
	}
	return text, None
}

// Cut cuts the sentence about a Pod in a condition's message before what keeps the Pod from being ready.
func Cut(message string) (head, text string, found bool) {
	for _, start := range []string{apis.MessagePodPhase, apis.MessagePodNotReady, apis.MessagePodDeleted} {
		if at := strings.Index(message, start); at >= 0 {
			if colon := strings.Index(message[at+len(start):], ": "); colon >= 0 {
				end := at + len(start) + colon
				return message[:end], message[end+2:], true
			}
		}
	}
	return message, "", false
}

func scheduled(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			return c
		}
	}
	return nil
}

// containers are the statuses in the order of their names: the kubelet's order may change.
func containers(pod *corev1.Pod) []corev1.ContainerStatus {
	all := slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
	slices.SortStableFunc(all, func(a, b corev1.ContainerStatus) int { return strings.Compare(a.Name, b.Name) })
	return all
}
