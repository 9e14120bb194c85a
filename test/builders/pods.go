// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package builders

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PodOption changes a Pod.
type PodOption interface{ pod(*corev1.Pod) }

type podOption func(*corev1.Pod)

func (o podOption) pod(p *corev1.Pod) { o(p) }

// Pod returns a new Pod with one container: it is Pending and has no node.
func Pod(name string, options ...PodOption) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metadata(name), Spec: podSpec(), Status: corev1.PodStatus{Phase: corev1.PodPending}}
	for _, option := range options {
		option.pod(p)
	}
	return p
}

// OnNode sets the Pod's node.
func OnNode(name string) PodOption {
	return podOption(func(p *corev1.Pod) { p.Spec.NodeName = name })
}

// PodWith applies a change that has no option of its own.
func PodWith(change func(*corev1.Pod)) PodOption { return podOption(change) }

// Ready makes the Pod run and be ready at the given addresses, or at 10.0.0.1 if there are none.
func Ready(ips ...string) PodOption {
	if len(ips) == 0 {
		ips = []string{"10.0.0.1"}
	}
	return podOption(func(p *corev1.Pod) {
		running(p, ips)
		setPodCondition(p, corev1.PodReady, corev1.ConditionTrue, "", "")
		p.Status.ContainerStatuses[0].Ready = true
	})
}

// ReadySince is Ready with the given time as the last transition of all conditions.
func ReadySince(at time.Time, ips ...string) PodOption {
	return podOption(func(p *corev1.Pod) {
		Ready(ips...).pod(p)
		for i := range p.Status.Conditions {
			p.Status.Conditions[i].LastTransitionTime = metav1.NewTime(at)
		}
	})
}

// RunningNotReady makes the Pod run and fail its readiness probe.
func RunningNotReady(ips ...string) PodOption {
	if len(ips) == 0 {
		ips = []string{"10.0.0.1"}
	}
	return podOption(func(p *corev1.Pod) {
		running(p, ips)
		setPodCondition(p, corev1.PodReady, corev1.ConditionFalse, "ContainersNotReady",
			"containers with unready status: ["+Container+"]")
	})
}

// Unschedulable sets PodScheduled to False with the scheduler's message.
func Unschedulable(message string) PodOption {
	return podOption(func(p *corev1.Pod) {
		p.Status = corev1.PodStatus{Phase: corev1.PodPending}
		setPodCondition(p, corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonUnschedulable, message)
	})
}

// Waiting makes the first container wait with a reason such as ImagePullBackOff or CreateContainerConfigError.
func Waiting(reason, message string) PodOption {
	return podOption(func(p *corev1.Pod) {
		p.Status = corev1.PodStatus{Phase: corev1.PodPending}
		setPodCondition(p, corev1.PodScheduled, corev1.ConditionTrue, "", "")
		first(p, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}})
	})
}

// ImagePullError makes the kubelet fail to pull the image.
func ImagePullError() PodOption {
	return Waiting("ErrImagePull", "failed to pull and unpack image \""+Image+"\": not found")
}

// CrashLoop puts the first container into CrashLoopBackOff.
func CrashLoop(exitCode, restarts int32) PodOption {
	return podOption(func(p *corev1.Pod) {
		running(p, []string{"10.0.0.1"})
		setPodCondition(p, corev1.PodReady, corev1.ConditionFalse, "ContainersNotReady",
			"containers with unready status: ["+Container+"]")
		first(p, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "CrashLoopBackOff", Message: "back-off 10s restarting failed container",
		}})
		p.Status.ContainerStatuses[0].RestartCount = restarts
		p.Status.ContainerStatuses[0].LastTerminationState = terminated(exitCode, "Error")
	})
}

// Succeeded ends the Pod with exit code 0.
func Succeeded() PodOption { return ended(corev1.PodSucceeded, 0, "Completed") }

// Failed ends the first container with an exit code and a reason such as Error or OOMKilled.
func Failed(exitCode int32, reason string) PodOption {
	return ended(corev1.PodFailed, exitCode, reason)
}

// Evicted makes the kubelet evict the Pod before any container reports a status.
func Evicted(message string) PodOption {
	return podOption(func(p *corev1.Pod) {
		p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: message}
	})
}

func ended(phase corev1.PodPhase, exitCode int32, reason string) PodOption {
	return podOption(func(p *corev1.Pod) {
		p.Status = corev1.PodStatus{Phase: phase}
		setPodCondition(p, corev1.PodReady, corev1.ConditionFalse, "Pod"+reason, "")
		first(p, terminated(exitCode, reason))
	})
}

func running(p *corev1.Pod, ips []string) {
	p.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ips[0]}
	for _, ip := range ips {
		p.Status.PodIPs = append(p.Status.PodIPs, corev1.PodIP{IP: ip})
	}
	setPodCondition(p, corev1.PodScheduled, corev1.ConditionTrue, "", "")
	first(p, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
}

func terminated(exitCode int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exitCode, Reason: reason}}
}

func first(p *corev1.Pod, state corev1.ContainerState) {
	container := p.Spec.Containers[0]
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: container.Name, Image: container.Image, State: state}}
}

func setPodCondition(
	p *corev1.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus, reason, message string,
) {
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
		Type: kind, Status: status, Reason: reason, Message: message,
	})
}
