// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ending determines what ended a Pod: its own work, or somebody who removed it. The operator, the SDK and the
// dashboard all use it, because a Pod's phase alone does not tell.
//
// Invariants:
//   - Work has finished only if it ended by itself: the containers exited, ran out of memory, or reached
//     activeDeadlineSeconds. A Pod that is being deleted, or was evicted, preempted, rejected or lost, has not
//     finished, whatever its phase and exit codes: a process that exits with 0 on SIGTERM gives the phase Succeeded.
//   - If in doubt, the work has not finished: reporting it as finished starts a time to live, whose end deletes data.
package ending

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Cause is what ended a Pod, or is about to end it.
type Cause string

// The causes. The work has finished with Completed, Failed, OutOfMemory and DeadlineExceeded, and with no other.
const (
	// None means that nothing has ended the Pod.
	None Cause = ""
	// Completed means that every container exited with code 0.
	Completed Cause = "Completed"
	// Failed means that a container exited with another code or could not be started.
	Failed Cause = "Failed"
	// OutOfMemory means that a container exceeded its memory limit and was killed.
	OutOfMemory Cause = "OutOfMemory"
	// DeadlineExceeded means that the Pod ran longer than its activeDeadlineSeconds.
	DeadlineExceeded Cause = "DeadlineExceeded"
	// Deleted means that the Pod was deleted, for example by suspension, expiry or a drain without evictions.
	Deleted Cause = "Deleted"
	// Evicted means that the eviction API, a taint, or the kubelet of a node short of resources removed the Pod.
	Evicted Cause = "Evicted"
	// Preempted means that the Pod was removed in favor of a Pod with a higher priority.
	Preempted Cause = "Preempted"
	// Rejected means that the node did not admit the Pod, or no longer does.
	Rejected Cause = "Rejected"
	// NodeShutdown means that the node was shut down.
	NodeShutdown Cause = "NodeShutdown"
	// NodeLost means that the node is gone, or lost its containers, for example in a crash.
	NodeLost Cause = "NodeLost"
)

// ReasonEvicted is the reason that a kubelet sets in the status of a Pod that it evicts, and in its Event about the
// eviction.
const ReasonEvicted = "Evicted"

// Reasons in a Pod's status. The kubelet sets one if it ended the Pod itself, and none if the containers exited.
const (
	reasonDeadlineExceeded = "DeadlineExceeded"
	reasonPreempting       = "Preempting"
	reasonTerminated       = "Terminated"
	reasonNodeShutdown     = "NodeShutdown"
	reasonNodeLost         = "NodeLost"
)

// Reasons of the condition DisruptionTarget for which the Kubernetes API has no constant.
const reasonDeletionByPodGC = "DeletionByPodGC"

// Reasons of terminated containers. A kubelet and a container runtime set the last two if they do not know how the
// container ended.
const (
	reasonOOMKilled     = "OOMKilled"
	reasonStatusUnknown = "ContainerStatusUnknown"
	reasonUnknown       = "Unknown"
)

// Ending is how a Pod ended, or is about to end. The zero value is a Pod that nothing has ended.
type Ending struct {
	Cause Cause
	// Deleting is true while the Pod is being deleted.
	Deleting bool
	// Message says who removed the Pod and why, in the words of the kubelet or the controller. It may be empty.
	Message string
}

// Of returns what ended the Pod, which may be nil.
func Of(pod *corev1.Pod) Ending {
	if pod == nil {
		return Ending{}
	}
	e := Ending{Cause: causeOf(pod), Deleting: pod.DeletionTimestamp != nil}
	if e.Cause != None && !e.Finished() {
		e.Message = messageOf(pod)
	}
	return e
}

// Finished reports whether the Pod's work ended by itself.
func (e Ending) Finished() bool {
	switch e.Cause {
	case Completed, Failed, OutOfMemory, DeadlineExceeded:
		return true
	default:
		return false
	}
}

// NeedsDeletion reports whether the Pod was evicted, preempted, rejected or lost, and its object still exists although
// nobody deletes it.
func (e Ending) NeedsDeletion() bool { return e.Cause != None && !e.Finished() && !e.Deleting }

// Reason returns the reason of the condition Finished.
func (e Ending) Reason() apis.Reason {
	if e.Cause == Completed {
		return apis.ReasonPodSucceeded
	}
	return apis.ReasonPodFailed
}

// DisplayStatus returns the Pod's status in one word for a table: its phase, or the cause if the Pod is being or was
// removed.
func DisplayStatus(pod *corev1.Pod) string {
	switch end := Of(pod); {
	case end.Deleting:
		return "Terminating" // the same word as in kubectl get
	case end.NeedsDeletion():
		return string(end.Cause)
	default:
		return string(pod.Status.Phase)
	}
}

// causeOf maps a Pod's status to a cause. The order of the cases matters: containers of a removed Pod may exit with any
// code.
func causeOf(pod *corev1.Pod) Cause {
	deleting, phase, reason := pod.DeletionTimestamp != nil, pod.Status.Phase, pod.Status.Reason
	ended := phase == corev1.PodSucceeded || phase == corev1.PodFailed
	disruption := disruptionOf(pod)
	switch {
	case !deleting && !ended:
		return None
	case disruption != nil:
		return causeOfDisruption(disruption.Reason, reason)
	case deleting:
		return Deleted
	case phase == corev1.PodSucceeded:
		return Completed
	case reason == reasonDeadlineExceeded:
		return DeadlineExceeded
	case reason != "":
		return causeOfKubeletReason(reason)
	case lostContainer(pod) != nil:
		return NodeLost
	case slices.ContainsFunc(terminatedContainers(pod), func(c container) bool { return c.end.Reason == reasonOOMKilled }):
		return OutOfMemory
	}
	return Failed
}

// disruptionOf returns the condition with which Kubernetes marks a Pod that it removes, or nil.
func disruptionOf(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

func causeOfDisruption(disruption, reason string) Cause {
	switch disruption {
	case corev1.PodReasonPreemptionByScheduler:
		return Preempted
	case reasonDeletionByPodGC:
		return NodeLost
	case corev1.PodReasonTerminationByKubelet:
		return causeOfKubeletReason(reason)
	default: // the eviction API, the taint manager, and future components
		return Evicted
	}
}

// causeOfKubeletReason maps a reason that a kubelet set in the Pod's status to a cause.
func causeOfKubeletReason(reason string) Cause {
	switch reason {
	case ReasonEvicted, "":
		return Evicted
	case reasonPreempting:
		return Preempted
	case reasonTerminated, reasonNodeShutdown:
		return NodeShutdown
	case reasonNodeLost:
		return NodeLost
	default: // OutOfcpu, NodeAffinity, UnexpectedAdmissionError and so on
		return Rejected
	}
}

// container is a terminated container.
type container struct {
	name string
	end  *corev1.ContainerStateTerminated
}

func terminatedContainers(pod *corev1.Pod) []container {
	var all []container
	for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if status.State.Terminated != nil {
			all = append(all, container{status.Name, status.State.Terminated})
		}
	}
	return all
}

// lostContainer returns the first container of which nobody knows how it ended, or nil.
func lostContainer(pod *corev1.Pod) *container {
	for _, c := range terminatedContainers(pod) {
		if c.end.Reason == reasonStatusUnknown || c.end.Reason == reasonUnknown {
			return &c
		}
	}
	return nil
}

// messageOf says who removed the Pod: according to the kubelet, otherwise the condition DisruptionTarget, otherwise a
// container.
func messageOf(pod *corev1.Pod) string {
	disruption := disruptionOf(pod)
	switch {
	case pod.Status.Reason != "":
		return joinReason(pod.Status.Reason, pod.Status.Message)
	case disruption != nil:
		return joinReason(disruption.Reason, disruption.Message)
	case pod.DeletionTimestamp != nil:
		return ""
	}
	c := lostContainer(pod)
	reason := fmt.Sprintf("container %s was lost with exit code %d (%s)", c.name, c.end.ExitCode, c.end.Reason)
	return joinReason(reason, c.end.Message)
}

func joinReason(reason, message string) string { return strings.TrimSuffix(reason+": "+message, ": ") }
