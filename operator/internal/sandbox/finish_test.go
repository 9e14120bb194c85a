// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// exitedZero sets the status of a Pod whose process exited with 0, by itself or on SIGTERM.
func exitedZero(p *corev1.Pod) {
	p.Status.Phase = corev1.PodSucceeded
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}},
	}}
}

func evicted(p *corev1.Pod) {
	ready(p)
	p.Status.Phase, p.Status.Reason = corev1.PodFailed, "Evicted"
	p.Status.Message = "The node was low on resource: memory."
}

// disrupted sets the condition DisruptionTarget, which marks a Pod before it is removed.
func disrupted(reason, message string) podOption {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions,
			corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, Message: message})
	}
}

func createdAgo(ago time.Duration) podOption {
	return func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(testNow.Add(-ago)) }
}

// unreadySince sets the condition Ready to False, for the given time.
func unreadySince(ago time.Duration) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) {
		s.Status.Conditions = []metav1.Condition{
			apis.NewCondition(nil, apis.ConditionReady, false, apis.ReasonDependenciesNotReady,
				"before", 3, metav1.NewTime(testNow.Add(-ago))),
		}
	}
}

func TestOnlyWorkThatEndedByItselfIsFinished(t *testing.T) {
	const notReady = "Ready=False/DependenciesNotReady: "
	const done = "Pod has succeeded: container main exited with code 0 (Completed)"
	expired := []sandboxOption{shutdown(0, agentsv1beta1.ShutdownPolicyRetain)}
	tests := map[string]struct {
		sandbox *agentsv1beta1.Sandbox
		facts   statusInput
		want    []string
	}{
		"a Pod that ends well while it is deleted": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), terminating, exitedZero), waitingFor: "Pod box"},
			want: []string{notReady + "Pod is being deleted: waiting until Pod box is gone"},
		},
		"the same before its process ends: the status is written once": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), ready, terminating), waitingFor: "Pod box"},
			want: []string{notReady + "Pod is being deleted: waiting until Pod box is gone"},
		},
		"a drain says who it was": {
			sandbox: box(),
			facts: statusInput{
				pod:        builtPod(box(), terminating, exitedZero, disrupted("EvictionByEvictionAPI", "Eviction API: evicting")),
				waitingFor: "Pod box",
			},
			want: []string{
				notReady + "Pod is being deleted: EvictionByEvictionAPI: Eviction API: evicting: waiting until Pod box is gone",
			},
		},
		"a Pod that was finished when somebody deleted it: a new one follows": {
			sandbox: box(conditioned(apis.ConditionFinished, true, apis.ReasonPodSucceeded)),
			facts:   statusInput{pod: builtPod(box(), terminating, exitedZero), waitingFor: "Pod box"},
			want:    []string{notReady + "Pod is being deleted: waiting until Pod box is gone"},
		},
		"a Pod that its node threw out": {
			sandbox: box(), facts: statusInput{pod: builtPod(box(), evicted)},
			want: []string{notReady + "Pod exists with phase: Failed: Evicted: The node was low on resource: memory."},
		},
		"a Pod that ends well on suspension": {
			sandbox: box(scaledTo(0)),
			facts:   statusInput{state: desiredSuspended, pod: builtPod(box(), terminating, exitedZero)},
			want: []string{
				"Ready=False/SandboxSuspended: Sandbox is suspending",
				"Suspended=False/PodNotTerminated: Pod has not been terminated. Sandbox is operational.",
			},
		},
		"a Pod that ends well on expiry": {
			sandbox: box(expired...), facts: statusInput{state: desiredExpired, pod: builtPod(box(), terminating, exitedZero)},
			want: []string{"Ready=False/SandboxExpired: Sandbox has expired"},
		},
		"a Pod that had ended when it expired, and nobody had said so": {
			sandbox: box(expired...), facts: statusInput{state: desiredExpired, pod: builtPod(box(), exitedZero)},
			want: []string{"Ready=False/SandboxExpired: Sandbox has expired", "Finished=True/PodSucceeded: " + done},
		},
		"a Pod that had ended before it expired, while it goes": {
			sandbox: box(append(expired, conditioned(apis.ConditionFinished, true, apis.ReasonPodSucceeded))...),
			facts:   statusInput{state: desiredExpired, pod: builtPod(box(), terminating, exitedZero)},
			want:    []string{"Ready=False/SandboxExpired: Sandbox has expired", "Finished=True/PodSucceeded: before"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := statusOf(tt.sandbox, tt.facts, "cluster.local", metav1.NewTime(testNow))
			if diff := cmp.Diff(tt.want, conditionStrings(got)); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if end := tt.facts.pod; len(got.PodIPs) > 0 {
				t.Errorf("the address of a Pod that was taken away is shown: %v of %+v", got.PodIPs, end.Status)
			}
		})
	}
}

func TestAPodThatWasTakenAwayIsReplaced(t *testing.T) {
	tests := map[string]struct {
		sandbox *agentsv1beta1.Sandbox
		pod     *corev1.Pod
		want    action
		again   time.Duration
	}{
		"an evicted Pod goes, so that the next may come": {
			sandbox: box(unreadySince(0)), pod: builtPod(box(), evicted, createdAgo(time.Hour)), want: remove,
		},
		"one whose node is gone, too": {
			sandbox: box(),
			pod:     builtPod(box(), phase(corev1.PodFailed), disrupted("DeletionByPodGC", "x"), createdAgo(time.Hour)),
			want:    remove,
		},
		"one that went as soon as it came waits": {
			sandbox: box(unreadySince(2 * time.Second)),
			pod:     builtPod(box(), evicted, createdAgo(2*time.Second)),
			again:   8 * time.Second,
		},
		"the longer none lasts, the longer the next waits": {
			sandbox: box(unreadySince(42 * time.Second)),
			pod:     builtPod(box(), evicted, createdAgo(2*time.Second)),
			again:   38 * time.Second,
		},
		"but not for ever": {
			sandbox: box(unreadySince(time.Hour)),
			pod:     builtPod(box(), evicted, createdAgo(2*time.Second)),
			again:   58 * time.Second,
		},
		"one that waited an hour for its node is not late": {
			sandbox: box(unreadySince(time.Hour)), pod: builtPod(box(), evicted, createdAgo(time.Hour)), want: remove,
		},
		"a Pod whose work has ended stays, with its logs": {
			sandbox: box(), pod: builtPod(box(), exitedZero, createdAgo(time.Hour)),
		},
		"a Pod that is being deleted is waited for": {
			sandbox: box(), pod: builtPod(box(), terminating, evicted, createdAgo(time.Hour)), want: wait,
		},
		"an evicted Pod of a suspended Sandbox goes at once": {
			sandbox: box(scaledTo(0)), pod: builtPod(box(), evicted, createdAgo(0)), want: remove,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := decide(testNow, tt.sandbox, pods(tt.pod))
			if len(p.pods) != 1 || p.pods[0].action != tt.want || max(0, p.requeueAfter) != tt.again {
				t.Errorf("%+v, again in %v", p.pods, p.requeueAfter)
			}
		})
	}
}
