// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

func running() corev1.ContainerStatus {
	return corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
}

// pendingPhase returns what the operator reports before it has seen that the Pod is ready.
func pendingPhase() metav1.Condition {
	return apis.NewCondition(nil, apis.ConditionReady, false, apis.ReasonDependenciesNotReady,
		"Pod exists with phase: Pending", 2, metav1.NewTime(now))
}

func readyPod() *corev1.Pod {
	status := running()
	status.Ready = true
	p := pod(status)
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	return p
}

// initializing returns a Pod whose container waits for an init container in the state.
func initializing(status corev1.ContainerStatus, policy *corev1.ContainerRestartPolicy) *corev1.Pod {
	status.Name = "setup"
	p := pod(waiting("PodInitializing", ""))
	p.Spec.InitContainers = []corev1.Container{{Name: "setup", RestartPolicy: policy}}
	p.Status.InitContainerStatuses = []corev1.ContainerStatus{status}
	return p
}

func TestWhatAStartWaitsForIsNamed(t *testing.T) {
	tests := map[string]struct {
		condition metav1.Condition
		pod       *corev1.Pod
		says      string
	}{
		"a Pod that is ready before the operator knows is not called pending": {
			condition: pendingPhase(), pod: readyPod(), says: "not seen yet that the Pod is ready",
		},
		"a Pod that is not ready is": {
			condition: pendingPhase(), pod: pod(running()), says: "container main: runs but is not ready",
		},
		"an init container that runs has no readiness probe to wait for": {
			condition: notReady, pod: initializing(running(), nil), says: "init container setup: has not finished yet",
		},
		"a sidecar that runs has one": {
			condition: notReady, pod: initializing(running(), new(corev1.ContainerRestartPolicyAlways)),
			says: "init container setup: runs but is not ready",
		},
		"the first init container waits for no other one": {
			condition: notReady, pod: initializing(waiting("PodInitializing", ""), nil),
			says: "init container setup: is being created",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := diagnose.Of(diagnose.Snapshot{Sandbox: sandbox(test.condition), Pod: test.pod, Now: now})
			if d.Verdict != diagnose.Starting || !strings.Contains(d.Obstacle, test.says) {
				t.Errorf("%s: %q", d.Verdict, d.Obstacle)
			}
		})
	}
}
