// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// conditionStrings formats the conditions of a status.
func conditionStrings(s agentsv1beta1.SandboxStatus) []string {
	var all []string
	for _, c := range s.Conditions {
		all = append(all, c.Type+"="+string(c.Status)+"/"+c.Reason+": "+c.Message)
	}
	return all
}

func TestConditions(t *testing.T) {
	const notReady = "Ready=False/DependenciesNotReady: "
	one := int32(1)
	exited := func(phase corev1.PodPhase, code int32, reason string) podOption {
		return func(p *corev1.Pod) {
			p.Status.Phase = phase
			p.Status.ContainerStatuses = []corev1.ContainerStatus{
				{
					Name:  "main",
					State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}},
				},
			}
		}
	}
	crashed := func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{
			{
				Name: "main", RestartCount: one,
				State: corev1.ContainerState{
					Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 10s"},
				},
				LastTerminationState: corev1.ContainerState{
					Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error"},
				},
			},
		}
	}
	tests := map[string]struct {
		sandbox *agentsv1beta1.Sandbox
		facts   statusInput
		want    []string
	}{
		"a ready Pod, no Service asked for": {
			sandbox: box(),
			facts:   statusInput{pod: builtPod(box(), ready)},
			want:    []string{"Ready=True/DependenciesReady: Pod is Ready"},
		},
		"a ready Pod and its Service": {
			sandbox: box(service(true)), facts: statusInput{pod: builtPod(box(), ready), service: serviceOf(box())},
			want: []string{"Ready=True/DependenciesReady: Pod is Ready; Service Exists"},
		},
		"a ready Pod whose Service is missing": {
			sandbox: box(service(true)), facts: statusInput{pod: builtPod(box(), ready)},
			want: []string{notReady + "Pod is Ready; Service does not exist"},
		},
		"a Pod that calls itself ready without an address is not": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), ready, func(p *corev1.Pod) { p.Status.PodIPs = nil })},
			want: []string{notReady + "Pod is Running but not Ready"},
		},
		"no Pod yet": {sandbox: box(), want: []string{notReady + "Pod does not exist"}},
		"a Pod that waits for the one before to go": {
			sandbox: box(), facts: statusInput{waitingFor: "Pod box"},
			want: []string{notReady + "Pod does not exist: waiting until Pod box is gone"},
		},
		"a Pod that no node can take says so in the scheduler's words": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), phase(corev1.PodPending), func(p *corev1.Pod) {
				p.Status.Conditions = []corev1.PodCondition{
					{
						Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
						Message: "0/1 nodes are available",
					},
				}
			})},
			want: []string{notReady + "Pod exists with phase: Pending: Unschedulable: 0/1 nodes are available"},
		},
		"a failing pull reads the same while the kubelet pulls": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), waitingFor("ErrImagePull", "not found"))},
			want: []string{notReady +
				"Pod exists with phase: Pending: container main: ImagePullBackOff: " +
				"cannot pull image \"localhost/x:v1\": not found"},
		},
		"a failing pull reads the same while the kubelet backs off": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(),
				waitingFor("ImagePullBackOff", "Back-off pulling image \"localhost/x:v1\": ErrImagePull: not found"))},
			want: []string{notReady +
				"Pod exists with phase: Pending: container main: ImagePullBackOff: " +
				"cannot pull image \"localhost/x:v1\": not found"},
		},
		"a missing ConfigMap": {
			sandbox: box(),
			facts:   statusInput{pod: builtPod(box(), waitingFor("CreateContainerConfigError", "configmap \"x\" not found"))},
			want: []string{notReady +
				"Pod exists with phase: Pending: container main: CreateContainerConfigError: configmap \"x\" not found"},
		},
		"a crash loop names the exit code, not the time of the next try": {
			sandbox: box(),
			facts:   statusInput{pod: builtPod(box(), crashed)},
			want: []string{
				notReady + "Pod is Running but not Ready: container main: CrashLoopBackOff: exited with code 3 (Error)",
			},
		},
		"containers that are being created are no obstacle": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), waitingFor("ContainerCreating", ""))},
			want: []string{notReady + "Pod exists with phase: Pending"},
		},
		"a Pod that succeeded is not 'not ready yet' for ever": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), exited(corev1.PodSucceeded, 0, "Completed"))},
			want: []string{
				"Ready=False/PodSucceeded: Pod has succeeded: container main exited with code 0 (Completed)",
				"Finished=True/PodSucceeded: Pod has succeeded: container main exited with code 0 (Completed)",
			},
		},
		"a Pod that failed names exit code and reason": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), exited(corev1.PodFailed, 137, "OOMKilled"))},
			want: []string{
				"Ready=False/PodFailed: Pod has failed: container main exited with code 137 (OOMKilled)",
				"Finished=True/PodFailed: Pod has failed: container main exited with code 137 (OOMKilled)",
			},
		},
		"suspending": {
			sandbox: box(scaledTo(0)), facts: statusInput{state: desiredSuspended, pod: builtPod(box(), ready)},
			want: []string{
				"Ready=False/SandboxSuspended: Sandbox is suspending",
				"Suspended=False/PodNotTerminated: Pod has not been terminated. Sandbox is operational.",
			},
		},
		"suspended": {
			sandbox: box(scaledTo(0)), facts: statusInput{state: desiredSuspended},
			want: []string{
				"Ready=False/SandboxSuspended: Sandbox is suspended",
				"Suspended=True/PodTerminated: Pod has been terminated. Sandbox is not operational.",
			},
		},
		"a Service's error does not make a suspended Sandbox claim that its Pod is gone": {
			sandbox: box(scaledTo(0)),
			facts: statusInput{
				state: desiredSuspended, pod: builtPod(box()),
				errs: []error{errors.New("delete Pod box: timeout"), errors.New("patch Service box: no")},
			},
			want: []string{
				"Ready=False/ReconcilerError: Error seen: delete Pod box: timeout; patch Service box: no",
				"Suspended=False/PodNotTerminated: Pod has not been terminated. Sandbox is operational.",
			},
		},
		"resumed: Suspended goes": {
			sandbox: box(conditioned(apis.ConditionSuspended, true, apis.ReasonPodTerminated)),
			want:    []string{notReady + "Pod does not exist"},
		},
		"several Pods name themselves and the cure": {
			sandbox: box(),
			facts: statusInput{
				pod: builtPod(box()), multiplePods: []*corev1.Pod{builtPod(box(), named("b")), builtPod(box(), named("a"))},
			},
			want: []string{
				"Ready=False/MultiplePods: The Sandbox controls 2 Pods (a, b) but may have only one: delete the others",
			},
		},
		"expiry keeps the word of how the Pod ended": {
			sandbox: box(
				shutdown(0, agentsv1beta1.ShutdownPolicyRetain), conditioned(apis.ConditionFinished, true, apis.ReasonPodFailed),
			),
			facts: statusInput{state: desiredExpired},
			want:  []string{"Ready=False/SandboxExpired: Sandbox has expired", "Finished=True/PodFailed: before"},
		},
		"a new Pod clears how the last one ended": {
			sandbox: box(conditioned(apis.ConditionFinished, true, apis.ReasonPodFailed)),
			facts:   statusInput{pod: builtPod(box(), ready)},
			want:    []string{"Ready=True/DependenciesReady: Pod is Ready"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := statusOf(tt.sandbox, tt.facts, "cluster.local", metav1.NewTime(testNow))
			if diff := cmp.Diff(tt.want, conditionStrings(got)); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			for _, c := range got.Conditions {
				if c.Message != "before" && (c.ObservedGeneration != 3 || c.LastTransitionTime.IsZero()) {
					t.Errorf("condition %s lacks generation or time: %+v", c.Type, c)
				}
			}
		})
	}
}

func TestStatusFields(t *testing.T) {
	selector := "agents.x-k8s.io/sandbox-name-hash=" + nameHash()
	tests := map[string]struct {
		facts statusInput
		want  agentsv1beta1.SandboxStatus
	}{
		"a running Sandbox shows addresses, node and Service": {
			facts: statusInput{pod: builtPod(box(), ready), service: serviceOf(box())},
			want: agentsv1beta1.SandboxStatus{
				Replicas: 1, LabelSelector: selector, PodIPs: []string{"10.0.0.9"}, NodeName: "node-1",
				Service: "box", ServiceFQDN: "box.team.svc.example.org",
			},
		},
		"the selector and the Service survive suspension": {
			facts: statusInput{state: desiredSuspended, service: serviceOf(box())},
			want:  agentsv1beta1.SandboxStatus{LabelSelector: selector, Service: "box", ServiceFQDN: "box.team.svc.example.org"},
		},
		"expiry empties everything": {facts: statusInput{state: desiredExpired, service: serviceOf(box())}},
		"an expired Sandbox counts its Pod until it is gone": {
			facts: statusInput{
				state: desiredExpired, pod: builtPod(box(), ready),
			},
			want: agentsv1beta1.SandboxStatus{Replicas: 1},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := statusOf(box(), tt.facts, "example.org", metav1.NewTime(testNow))
			got.Conditions = nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheTimeOfAConditionChangesWithItsStatusOnly(t *testing.T) {
	sandbox := box(conditioned(apis.ConditionReady, false, apis.ReasonDependenciesNotReady))
	same := statusOf(sandbox, statusInput{}, "x", metav1.NewTime(testNow)).Conditions[0]
	turned := statusOf(sandbox, statusInput{pod: builtPod(box(), ready)}, "x", metav1.NewTime(testNow)).Conditions[0]
	if want := testNow.Add(-time.Minute); !same.LastTransitionTime.Time.Equal(want) ||
		!turned.LastTransitionTime.Time.Equal(testNow) {
		t.Errorf("times: unchanged %v, turned %v", same.LastTransitionTime, turned.LastTransitionTime)
	}
}

func TestTheActionOfAnErrorSaysWhetherAnotherAttemptHelps(t *testing.T) {
	pods := corev1.Resource("pods")
	tests := map[string]struct {
		errs []error
		want string
	}{
		"the API server fails": {[]error{apierrors.NewInternalError(errors.New("ill"))}, "Reconcile"},
		"a policy forbids a Pod": {
			[]error{fmt.Errorf("x: %w", apierrors.NewForbidden(pods, "dev", nil))}, "AwaitChange",
		},
		"a Pod is invalid": {
			[]error{apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "dev", nil)}, "AwaitChange",
		},
		"one of two errors is permanent": {
			[]error{errors.New("ill"), apierrors.NewForbidden(pods, "dev", nil)}, "AwaitChange",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := errorAction(test.errs); got != test.want {
				t.Errorf("action %q, want %q", got, test.want)
			}
		})
	}
}
