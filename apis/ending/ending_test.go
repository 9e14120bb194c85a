// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package ending_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
)

type change func(*corev1.Pod)

// pod returns a Pod in a phase, changed by the options.
func pod(phase corev1.PodPhase, changes ...change) *corev1.Pod {
	p := &corev1.Pod{Status: corev1.PodStatus{Phase: phase}}
	for _, c := range changes {
		c(p)
	}
	return p
}

func exited(code int32, reason string) change {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name:  "main",
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}},
		})
	}
}

// said sets the reason and the message that a kubelet writes to the Pod's status.
func said(reason, message string) change {
	return func(p *corev1.Pod) { p.Status.Reason, p.Status.Message = reason, message }
}

func target(status corev1.ConditionStatus, reason, message string) change {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions,
			corev1.PodCondition{Type: "DisruptionTarget", Status: status, Reason: reason, Message: message})
	}
}

func going(p *corev1.Pod) {
	p.DeletionTimestamp = new(metav1.NewTime(time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)))
}

// The rows spell out what the kubelet, the scheduler and the controllers of Kubernetes 1.37 write.
func TestWhatEndedAPod(t *testing.T) {
	const low = "The node was low on resource: memory."
	tests := map[string]struct {
		pod      *corev1.Pod
		cause    ending.Cause
		finished bool
		left     bool
		why      string
	}{
		"no Pod":           {},
		"a Pod that waits": {pod: pod(corev1.PodPending)},
		"a Pod that runs":  {pod: pod(corev1.PodRunning)},
		"a Pod that runs and is to be taken away": {
			pod: pod(corev1.PodRunning, target("True", "PreemptionByScheduler", "x")),
		},
		"a container that ended while its Pod starts it again": {
			pod: pod(corev1.PodRunning, exited(1, "Error")),
		},

		"its process exits with 0": {
			pod: pod(corev1.PodSucceeded, exited(0, "Completed")), cause: "Completed", finished: true,
		},
		"its process exits with another code": {
			pod: pod(corev1.PodFailed, exited(3, "Error")), cause: "Failed", finished: true,
		},
		"its process cannot be started": {
			pod: pod(corev1.PodFailed, exited(128, "StartError")), cause: "Failed", finished: true,
		},
		"an init container fails": {
			pod: pod(corev1.PodFailed, func(p *corev1.Pod) {
				exited(1, "Error")(p)
				p.Status.InitContainerStatuses, p.Status.ContainerStatuses = p.Status.ContainerStatuses, nil
			}), cause: "Failed", finished: true,
		},
		"it is killed for its memory": {
			pod: pod(corev1.PodFailed, exited(137, "OOMKilled")), cause: "OutOfMemory", finished: true,
		},
		"its activeDeadlineSeconds are over": {
			pod: pod(
				corev1.PodFailed, said("DeadlineExceeded", "Pod was active on the node longer than the specified deadline"),
				exited(137, "Error"),
			),
			cause:    "DeadlineExceeded",
			finished: true,
		},
		"its activeDeadlineSeconds are over before a container started": {
			pod: pod(corev1.PodFailed, said("DeadlineExceeded", "x")), cause: "DeadlineExceeded", finished: true,
		},
		"it failed and nobody says how": {pod: pod(corev1.PodFailed), cause: "Failed", finished: true},

		"it is deleted and runs": {pod: pod(corev1.PodRunning, going), cause: "Deleted"},
		"it is deleted and ends well": {
			pod: pod(corev1.PodSucceeded, going, exited(0, "Completed")), cause: "Deleted",
		},
		"it is deleted and killed": {pod: pod(corev1.PodFailed, going, exited(137, "Error")), cause: "Deleted"},
		"it is deleted and killed for memory": {
			pod: pod(corev1.PodFailed, going, exited(137, "OOMKilled")), cause: "Deleted",
		},
		"it is deleted while its deadline ends": {
			pod: pod(corev1.PodFailed, going, said("DeadlineExceeded", "x")), cause: "Deleted", why: "DeadlineExceeded: x",
		},

		"the eviction API takes it": {
			pod:   pod(corev1.PodRunning, going, target("True", "EvictionByEvictionAPI", "Eviction API: evicting")),
			cause: "Evicted",
			why:   "EvictionByEvictionAPI: Eviction API: evicting",
		},
		"the eviction API takes it and it ends well": {
			pod: pod(
				corev1.PodSucceeded, going, exited(0, "Completed"),
				target("True", "EvictionByEvictionAPI", "Eviction API: evicting"),
			),
			cause: "Evicted",
			why:   "EvictionByEvictionAPI: Eviction API: evicting",
		},
		"it is marked for eviction, ends, and is not deleted yet": {
			pod: pod(
				corev1.PodSucceeded, exited(0, "Completed"), target("True", "EvictionByEvictionAPI", "Eviction API: evicting"),
			),
			cause: "Evicted",
			left:  true,
			why:   "EvictionByEvictionAPI: Eviction API: evicting",
		},
		"it was marked for an eviction that did not come": {
			pod:      pod(corev1.PodSucceeded, exited(0, "Completed"), target("False", "EvictionByEvictionAPI", "")),
			cause:    "Completed",
			finished: true,
		},
		"a taint takes it": {
			pod: pod(
				corev1.PodSucceeded, going,
				target("True", "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"),
			),
			cause: "Evicted",
			why:   "DeletionByTaintManager: Taint manager: deleting due to NoExecute taint",
		},
		"its node runs short": {
			pod: pod(
				corev1.PodFailed, said("Evicted", low), exited(137, "Error"), target("True", "TerminationByKubelet", low),
			),
			cause: "Evicted",
			left:  true,
			why:   "Evicted: " + low,
		},
		"it fills more of its node's disk than it may": {
			pod: pod(
				corev1.PodFailed, said("Evicted", "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. "),
				exited(0, "Completed"),
			),
			cause: "Evicted",
			left:  true,
			why:   "Evicted: Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
		},
		"the scheduler makes room": {
			pod: pod(
				corev1.PodSucceeded, going, exited(0, "Completed"),
				target("True", "PreemptionByScheduler", "default-scheduler: preempting"),
			),
			cause: "Preempted",
			why:   "PreemptionByScheduler: default-scheduler: preempting",
		},
		"its kubelet makes room": {
			pod: pod(
				corev1.PodFailed, said("Preempting", "Preempted in order to admit critical pod"),
				target("True", "TerminationByKubelet", "x"),
			),
			cause: "Preempted",
			left:  true,
			why:   "Preempting: Preempted in order to admit critical pod",
		},
		"its node has no room after all": {
			pod: pod(corev1.PodFailed, said("OutOfcpu", "Node didn't have enough resource: cpu")), cause: "Rejected", left: true,
			why: "OutOfcpu: Node didn't have enough resource: cpu",
		},
		"its node does not suit after a restart": {
			pod:   pod(corev1.PodFailed, said("NodeAffinity", "Predicate NodeAffinity failed"), exited(137, "Error")),
			cause: "Rejected",
			left:  true,
			why:   "NodeAffinity: Predicate NodeAffinity failed",
		},
		"its node shuts down": {
			pod: pod(
				corev1.PodFailed, said("Terminated", "Pod was terminated in response to imminent node shutdown."),
				exited(0, "Completed"),
				target("True", "TerminationByKubelet", "Pod was terminated in response to imminent node shutdown."),
			),
			cause: "NodeShutdown",
			left:  true,
			why:   "Terminated: Pod was terminated in response to imminent node shutdown.",
		},
		"its node shuts down and it ends well": {
			pod: pod(
				corev1.PodSucceeded, said("Terminated", "x"), exited(0, "Completed"), target("True", "TerminationByKubelet", "x"),
			),
			cause: "NodeShutdown",
			left:  true,
			why:   "Terminated: x",
		},
		"its node is about to shut down": {
			pod:   pod(corev1.PodFailed, said("NodeShutdown", "Pod was rejected as the node is shutting down.")),
			cause: "NodeShutdown", left: true, why: "NodeShutdown: Pod was rejected as the node is shutting down.",
		},
		"its node is gone": { // for a moment: the garbage collector deletes it next
			pod:   pod(corev1.PodFailed, target("True", "DeletionByPodGC", "PodGC: node no longer exists")),
			cause: "NodeLost", left: true, why: "DeletionByPodGC: PodGC: node no longer exists",
		},
		"its node does not answer": {
			pod: pod(corev1.PodRunning, going, said("NodeLost", "x")), cause: "Deleted", why: "NodeLost: x",
		},
		"its node crashed, and the kubelet does not find its container": {
			pod: pod(corev1.PodFailed, exited(137, "ContainerStatusUnknown")), cause: "NodeLost", left: true,
			why: "container main was lost with exit code 137 (ContainerStatusUnknown)",
		},
		"its node crashed, and the runtime does not know of its container": {
			pod: pod(corev1.PodFailed, exited(0, "Completed"), exited(255, "Unknown")), cause: "NodeLost", left: true,
			why: "container main was lost with exit code 255 (Unknown)",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := ending.Of(tt.pod)
			if e.Cause != tt.cause || e.Finished() != tt.finished || e.NeedsDeletion() != tt.left || e.Message != tt.why {
				t.Errorf("got %+v, finished %t, left %t", e, e.Finished(), e.NeedsDeletion())
			}
			if want := tt.pod != nil && tt.pod.DeletionTimestamp != nil; e.Deleting != want {
				t.Errorf("going: %t", e.Deleting)
			}
		})
	}
}

func TestTheReasonOfFinished(t *testing.T) {
	for phase, want := range map[corev1.PodPhase]string{
		corev1.PodSucceeded: "PodSucceeded", corev1.PodFailed: "PodFailed",
	} {
		if got := ending.Of(pod(phase)).Reason(); string(got) != want {
			t.Errorf("%s: %s", phase, got)
		}
	}
}

func TestTheWordOfAPodInATable(t *testing.T) {
	tests := map[string]*corev1.Pod{
		"Running":     pod(corev1.PodRunning),
		"Failed":      pod(corev1.PodFailed, exited(3, "Error")),
		"Terminating": pod(corev1.PodSucceeded, going, exited(0, "Completed")),
		"Evicted":     pod(corev1.PodFailed, said("Evicted", "x")),
		"NodeLost":    pod(corev1.PodFailed, exited(137, "ContainerStatusUnknown")),
	}
	for want, p := range tests {
		if got := ending.DisplayStatus(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
