// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ending says what ended a Pod: its own work, or somebody who took it away. Operator, SDK and dashboard ask the same
// table; nobody reads a meaning into a Pod's phase alone.
//
// Invariants:
//   - work has finished only if it ended by itself: it exited, was killed for its memory, or ran into its own
//     activeDeadlineSeconds. A Pod that is being deleted, or that was evicted, preempted, rejected or lost, has not finished,
//     whatever phase and exit codes it shows: a process that ends well on SIGTERM makes it Succeeded;
//   - in doubt the work has not finished: a wrong word that it has starts a time to live, and that deletes data.
package ending

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Cause is what ended a Pod, or is about to.
type Cause string

// The causes. With the first four the work has finished.
const (
	// None: nothing has ended it.
	None Cause = ""
	// Completed: every container exited with code 0.
	Completed Cause = "Completed"
	// Failed: a container exited with another code, or could not be started.
	Failed Cause = "Failed"
	// OutOfMemory: a container was killed because it used more memory than it may.
	OutOfMemory Cause = "OutOfMemory"
	// DeadlineExceeded: the Pod ran longer than its own activeDeadlineSeconds.
	DeadlineExceeded Cause = "DeadlineExceeded"
	// Deleted: somebody deleted it; suspension, expiry and a drain without evictions do so too.
	Deleted Cause = "Deleted"
	// Evicted: the eviction API, a taint, or the kubelet of a node that ran short took it away.
	Evicted Cause = "Evicted"
	// Preempted: it made room for one that is more important.
	Preempted Cause = "Preempted"
	// Rejected: its node did not take it, or takes it no more.
	Rejected Cause = "Rejected"
	// NodeShutdown: its node was shut down.
	NodeShutdown Cause = "NodeShutdown"
	// NodeLost: its node went, or lost its containers, as after a crash.
	NodeLost Cause = "NodeLost"
)

// ReasonEvicted is that of the status which a kubelet writes for a Pod that it evicts, and of its Event about that.
const ReasonEvicted = "Evicted"

// Reasons in a Pod's status. The kubelet gives one if it ended the Pod itself, and none if the containers did.
const (
	reasonDeadlineExceeded = "DeadlineExceeded"
	reasonPreempting       = "Preempting"
	reasonTerminated       = "Terminated"
	reasonNodeShutdown     = "NodeShutdown"
	reasonNodeLost         = "NodeLost"
)

// Reasons of the condition DisruptionTarget that have no constant in Kubernetes' API.
const reasonDeletionByPodGC = "DeletionByPodGC"

// Reasons of a container's end. The last two are those of a kubelet and of a runtime that do not know how it ended.
const (
	reasonOOMKilled     = "OOMKilled"
	reasonStatusUnknown = "ContainerStatusUnknown"
	reasonUnknown       = "Unknown"
)

// Ending is how a Pod ended, or is about to. The zero value is a Pod that nothing ends.
type Ending struct {
	Cause Cause
	// Going says that the Pod is being deleted.
	Deleting bool
	// Why is the word of whoever took the Pod away; empty where nobody said anything.
	Message string
}

// Of says what ended the Pod, nil included.
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

// Finished says whether the Pod's work ended by itself.
func (e Ending) Finished() bool {
	switch e.Cause {
	case Completed, Failed, OutOfMemory, DeadlineExceeded:
		return true
	default:
		return false
	}
}

// NeedsDeletion says whether the Pod was taken away and its object is still there, although nobody deletes it.
func (e Ending) NeedsDeletion() bool { return e.Cause != None && !e.Finished() && !e.Deleting }

// Reason is that of the condition Finished.
func (e Ending) Reason() apis.Reason {
	if e.Cause == Completed {
		return apis.ReasonPodSucceeded
	}
	return apis.ReasonPodFailed
}

// DisplayStatus is the Pod's state in the one word that a table shows: its phase, unless somebody takes or took it away.
func DisplayStatus(pod *corev1.Pod) string {
	switch end := Of(pod); {
	case end.Deleting:
		return "Terminating" // as kubectl has it
	case end.NeedsDeletion():
		return string(end.Cause)
	default:
		return string(pod.Status.Phase)
	}
}

// causeOf is the table. The order of its rows matters: who takes a Pod away may have let its containers exit as they like.
func causeOf(pod *corev1.Pod) Cause {
	going, phase, reason := pod.DeletionTimestamp != nil, pod.Status.Phase, pod.Status.Reason
	over := phase == corev1.PodSucceeded || phase == corev1.PodFailed
	disruption := disruptionOf(pod)
	switch {
	case !going && !over:
		return None
	case disruption != nil:
		return causeOfDisruption(disruption.Reason, reason)
	case going:
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

// disruptionOf is the condition by which Kubernetes says that it takes a Pod away; nil: it does not.
func disruptionOf(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

func causeOfDisruption(by, reason string) Cause {
	switch by {
	case corev1.PodReasonPreemptionByScheduler:
		return Preempted
	case reasonDeletionByPodGC:
		return NodeLost
	case corev1.PodReasonTerminationByKubelet:
		return causeOfKubeletReason(reason)
	default: // the eviction API, the taint manager, and who comes later
		return Evicted
	}
}

// causeOfKubeletReason is the cause behind a kubelet's own reason.
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

// container is how one container ended.
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

// lostContainer is a container of which nobody knows how it ended, nil if there is none.
func lostContainer(pod *corev1.Pod) *container {
	for _, c := range terminatedContainers(pod) {
		if c.end.Reason == reasonStatusUnknown || c.end.Reason == reasonUnknown {
			return &c
		}
	}
	return nil
}

// messageOf is what is known of who took the Pod away: the kubelet's word, else that of who marked it, else what a container shows.
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
	return joinReason(fmt.Sprintf("container %s was lost with exit code %d (%s)", c.name, c.end.ExitCode, c.end.Reason), c.end.Message)
}

func joinReason(reason, message string) string { return strings.TrimSuffix(reason+": "+message, ": ") }
