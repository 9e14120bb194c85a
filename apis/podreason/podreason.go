// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podreason interprets the reasons that the scheduler and the kubelet give in a Pod's status. It is the only
// place that knows them: the operator, its metrics, the diagnosis and the dashboard use it. All functions are pure.
//
// Invariants:
//   - a cause follows from reasons, which are part of the Kubernetes API, and never from a message;
//   - reasons that alternate between attempts (ErrImagePull, ImagePullBackOff) give one cause and one message;
//   - FromConditionMessage finds the cause in what Message returns.
package podreason

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Cause is the class of problem that keeps a Pod from being ready.
type Cause string

// The causes. A Pod that is still starting has none.
const (
	None Cause = ""
	// ImagePull means that an image cannot be pulled, or that its name is not valid.
	ImagePull Cause = "ImagePull"
	// ContainerConfig means that a container cannot be created or started as it is specified.
	ContainerConfig Cause = "ContainerConfig"
	// CrashLoop means that a container exits again after each restart.
	CrashLoop Cause = "CrashLoop"
	// Unschedulable means that no node fits the Pod.
	Unschedulable Cause = corev1.PodReasonUnschedulable
	// NodeNotReady means that the node of a running Pod has stopped reporting.
	NodeNotReady Cause = "NodeNotReady"
	// TemplateNotFound means that the template of a pool does not exist.
	TemplateNotFound Cause = Cause(apis.ReasonTemplateNotFound)
	// MemberRejected means that the API server rejects the members that a pool creates.
	MemberRejected Cause = Cause(apis.ReasonMemberRejected)
)

// Reasons of the kubelet that several functions compare.
const (
	imagePullBackOff  = "ImagePullBackOff"
	crashLoopBackOff  = "CrashLoopBackOff"
	invalidImageName  = "InvalidImageName"
	errImageNeverPull = "ErrImageNeverPull"

	registryUnavailable = "RegistryUnavailable"
)

// ForWaitingReason returns the cause behind the reason of a container that is in the state Waiting.
func ForWaitingReason(reason string) Cause {
	switch reason {
	case "ErrImagePull", imagePullBackOff, errImageNeverPull, invalidImageName,
		registryUnavailable, "ImageInspectError", "SignatureValidationFailed":
		return ImagePull
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return ContainerConfig
	case crashLoopBackOff:
		return CrashLoop
	}
	return None
}

// IsInvalidImageName reports whether the image's name cannot be parsed. The kubelet then attempts no pull.
func IsInvalidImageName(reason string) bool { return reason == invalidImageName }

// IsErrImageNeverPull reports whether the image is missing and imagePullPolicy Never forbids to pull it. Waiting does
// not help.
func IsErrImageNeverPull(reason string) bool { return reason == errImageNeverPull }

// IsRegistryUnavailable reports whether an image cannot be pulled because its registry does not answer, which may pass.
// While the kubelet backs off, this reason is in the message.
func IsRegistryUnavailable(waiting *corev1.ContainerStateWaiting) bool {
	return waiting.Reason == registryUnavailable || strings.Contains(waiting.Message, registryUnavailable+": ")
}

// ForContainer returns what keeps a container from running. A terminated container that was restarted before is in a
// crash loop, although its state is not Waiting at this moment.
func ForContainer(status *corev1.ContainerStatus) Cause {
	switch {
	case status.State.Waiting != nil:
		return ForWaitingReason(status.State.Waiting.Reason)
	case status.State.Terminated != nil && status.RestartCount > 0:
		return CrashLoop
	}
	return None
}

// IsUnschedulable reports whether the scheduler has tried the Pod and found no node for it.
func IsUnschedulable(pod *corev1.Pod) bool {
	c := podCondition(pod, corev1.PodScheduled)
	return c != nil && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
}

// IsOnNotReadyNode reports whether the Pod's node has stopped reporting. Kubernetes then sets only the Pod's Ready to
// false, while a kubelet would also report the containers.
func IsOnNotReadyNode(pod *corev1.Pod) bool {
	ready, containers := podCondition(pod, corev1.PodReady), podCondition(pod, corev1.ContainersReady)
	return pod.Spec.NodeName != "" && len(pod.Spec.ReadinessGates) == 0 &&
		ready != nil && ready.Status == corev1.ConditionFalse &&
		containers != nil && containers.Status == corev1.ConditionTrue
}

// ForPod returns what keeps a Pod from being ready: the scheduler, the node, or the first container that has a cause.
func ForPod(pod *corev1.Pod) Cause {
	switch {
	case IsUnschedulable(pod):
		return Unschedulable
	case IsOnNotReadyNode(pod):
		return NodeNotReady
	}
	for _, status := range ContainerStatuses(pod) {
		if cause := ForContainer(&status); cause != None {
			return cause
		}
	}
	return None
}

// Message describes what keeps a Pod from being ready. It does not change while the cause stays the same, and is empty
// if there is no problem.
func Message(pod *corev1.Pod) string {
	if c := podCondition(pod, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionFalse {
		return strings.TrimSuffix(c.Reason+": "+c.Message, ": ")
	}
	if IsOnNotReadyNode(pod) {
		return string(NodeNotReady) + ": node " + pod.Spec.NodeName + " has stopped reporting"
	}
	var parts []string
	for _, status := range ContainerStatuses(pod) {
		if message := containerMessage(&status); message != "" {
			parts = append(parts, containerPrefix+status.Name+": "+message)
		}
	}
	return strings.Join(parts, "; ")
}

const containerPrefix = "container "

func containerMessage(status *corev1.ContainerStatus) string {
	waiting := status.State.Waiting
	switch cause := ForContainer(status); {
	case cause == ImagePull && waiting.Reason != invalidImageName:
		reason := imagePullBackOff
		if waiting.Reason == errImageNeverPull {
			reason = errImageNeverPull
		}
		message := fmt.Sprintf("%s: cannot pull image %q: %s", reason, status.Image, PullError(waiting.Message))
		return strings.TrimSuffix(message, ": ")
	case cause == CrashLoop:
		last := status.LastTerminationState.Terminated
		if status.State.Terminated != nil {
			last = status.State.Terminated
		}
		if last == nil {
			return crashLoopBackOff
		}
		return fmt.Sprintf("%s: exited with code %d (%s)", crashLoopBackOff, last.ExitCode, last.Reason)
	case waiting != nil && waiting.Reason != "" && waiting.Reason != "ContainerCreating" &&
		waiting.Reason != "PodInitializing":
		return strings.TrimSuffix(waiting.Reason+": "+waiting.Message, ": ")
	}
	return ""
}

// PullError returns the container runtime's part of the message about a failed pull. While the kubelet backs off, it
// puts its own text in front; if nothing follows that text, PullError returns the empty string.
func PullError(message string) string {
	for _, marker := range []string{"ErrImagePull: ", registryUnavailable + ": "} {
		if _, cause, found := strings.Cut(message, marker); found {
			return cause
		}
	}
	if strings.HasPrefix(message, "Back-off pulling image") {
		return ""
	}
	return message
}

// FromConditionMessage returns what the message of a Sandbox's Ready condition says about its Pod, and the cause
// according to the reasons in it. It is for callers that do not read the Pod itself.
func FromConditionMessage(message string) (podMessage string, cause Cause) {
	_, podMessage, _ = SplitConditionMessage(message)
	switch reason, _, _ := strings.Cut(podMessage, ":"); Cause(reason) {
	case Unschedulable, NodeNotReady:
		return podMessage, Cause(reason)
	default:
	}
	for part := range strings.SplitSeq(podMessage, "; ") {
		container, rest, _ := strings.Cut(part, ": ")
		reason, _, _ := strings.Cut(rest, ":")
		if cause := ForWaitingReason(reason); cause != None && strings.HasPrefix(container, containerPrefix) {
			return podMessage, cause
		}
	}
	return podMessage, None
}

// SplitConditionMessage splits the message of a Sandbox's Ready condition into the part about the Pod's phase and the
// part that says what keeps the Pod from being ready. found is false if there is no second part.
func SplitConditionMessage(message string) (phase, podMessage string, found bool) {
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

// ShortConditionMessage returns the message of a Ready condition with the texts of the container runtime shortened.
func ShortConditionMessage(message string) string {
	phase, podMessage, found := SplitConditionMessage(message)
	if !found {
		return message
	}
	return phase + ": " + ShortPodMessage(podMessage)
}

// ShortPodMessage returns what Message or FromConditionMessage returned, with the texts of the container runtime
// shortened.
func ShortPodMessage(podMessage string) string {
	parts := strings.Split(podMessage, "; "+containerPrefix)
	for i, part := range parts {
		container, rest, found := strings.Cut(part, ": ")
		reason, text, hasText := strings.Cut(rest, ": ")
		if !found || !hasText || (i == 0 && !strings.HasPrefix(container, containerPrefix)) {
			continue
		}
		const pull = "cannot pull image "
		if image, why, quoted := strings.Cut(strings.TrimPrefix(text, pull), `": `); quoted && strings.HasPrefix(text, pull) {
			parts[i] = fmt.Sprintf(`%s: %s: %s%s": %s`, container, reason, pull, image, ShortRuntimeError(why))
			continue
		}
		parts[i] = container + ": " + reason + ": " + ShortRuntimeError(text)
	}
	return strings.Join(parts, "; "+containerPrefix)
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == kind {
			return c
		}
	}
	return nil
}

// ContainerStatuses returns the statuses of all containers, init containers included, sorted by name: the kubelet's
// order may change from one update to the next.
func ContainerStatuses(pod *corev1.Pod) []corev1.ContainerStatus {
	all := slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
	slices.SortStableFunc(all, func(a, b corev1.ContainerStatus) int { return strings.Compare(a.Name, b.Name) })
	return all
}
