// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package await_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// withPod returns a Sandbox that is not ready, and its Pod.
func withPod(options ...builders.PodOption) []runtime.Object {
	s := sandbox(with(apis.ConditionReady, false, apis.ReasonDependenciesNotReady, 2))
	return []runtime.Object{s, builders.Pod("dev", append([]builders.PodOption{
		builders.InNamespace("ns"),
		builders.OwnedBy(s),
		builders.OnNode("n1"),
		builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash("dev")),
	}, options...)...)}
}

// refused returns a Sandbox with an object that the operator could not create.
func refused(message string, options ...func(*agentsv1beta1.Sandbox)) []runtime.Object {
	return []runtime.Object{sandbox(func(s *agentsv1beta1.Sandbox) {
		for _, option := range options {
			option(s)
		}
		s.Status.Conditions = []metav1.Condition{
			apis.NewCondition(nil, apis.ConditionReady, false, apis.ReasonReconcilerError, message, 2, metav1.NewTime(now)),
		}
	})}
}

func wantsService(s *agentsv1beta1.Sandbox) { s.Spec.Service = new(true) }

// foreignService returns a Service that has the Sandbox's name and no owner.
func foreignService(options ...func(metav1.Object)) runtime.Object {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "dev"}}
	for _, option := range options {
		option(service)
	}
	return service
}

// failed returns the kubelet's event about a container that it could not create count times.
func failed(count int32) runtime.Object {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: "failed",
		},
		Reason: "Failed",
		Type:   corev1.EventTypeWarning,
		Count:  count,
		InvolvedObject: corev1.ObjectReference{
			Kind: "Pod", Namespace: "ns", Name: "dev", FieldPath: "spec.containers{" + builders.Container + "}",
		},
	}
}

// fullQuota returns a quota without room for another Pod.
func fullQuota() runtime.Object {
	one := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1")}
	return &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "q"}, Status: corev1.ResourceQuotaStatus{Hard: one, Used: one},
	}
}

func startError(message string) builders.PodOption {
	return builders.PodWith(func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{
			{
				Name: "main", RestartCount: 1,
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
				LastTerminationState: corev1.ContainerState{
					Terminated: &corev1.ContainerStateTerminated{ExitCode: 128, Reason: "StartError", Message: message},
				},
			},
		}
	})
}

func TestOneWhoGivesUpWaitsOnlyForWhatCanHeal(t *testing.T) {
	tests := map[string]struct {
		objects []runtime.Object
		never   string // part of the error; empty: the waiting goes on
	}{
		"a template that is missing": {
			objects: []runtime.Object{claimThat(apis.ReasonTemplateNotFound)}, never: "TemplateNotFound",
		},
		"a pool that is missing": {
			objects: []runtime.Object{claimThat(apis.ReasonWarmPoolNotFound)}, never: "WarmPoolNotFound",
		},
		"an image that does not exist": {
			objects: append(withPod(builders.ImagePullError()), failed(3)), never: "cannot be pulled",
		},
		"an image behind another's password": {
			objects: append(
				withPod(
					builders.Waiting(
						"ImagePullBackOff", `Back-off pulling image "x": ErrImagePull: pull access denied, authorization failed`,
					),
				),
				failed(3),
			),
			never: "authorization failed",
		},
		"a name that is no image's": {
			objects: withPod(builders.Waiting("InvalidImageName", "")), never: "is not the name of an image",
		},
		"a registry that does not answer": {
			objects: append(withPod(builders.Waiting("ErrImagePull", "dial tcp: i/o timeout")), failed(1)),
		},
		"a registry that has not answered for long": {
			objects: append(
				withPod(builders.Waiting("ImagePullBackOff", `Back-off pulling image "x": RegistryUnavailable: i/o timeout`)),
				failed(9),
			),
		},
		"a Secret that is missing": {
			objects: append(withPod(builders.Waiting("CreateContainerConfigError", `secret "x" not found`)), failed(3)),
			never:   `secret "x" not found`,
		},
		"a Secret that has not arrived yet": {
			objects: append(
				withPod(
					builders.Waiting("CreateContainerConfigError", "failed to sync secret cache: timed out waiting for the condition"),
				),
				failed(1),
			),
		},
		"a command that is missing": {
			objects: withPod(startError(`exec: "nope": executable file not found in $PATH`)), never: "executable file not found",
		},
		"a container that crashed once":     {objects: withPod(builders.CrashLoop(1, 1))},
		"a container that crashes for ever": {objects: withPod(builders.CrashLoop(1, 3)), never: "crashes again and again"},
		"a quota that is full": {
			objects: append(refused(`Error seen: create Pod: pods "dev" is forbidden: exceeded quota: q`), fullQuota()),
			never:   "exceeded quota",
		},
		"an API server that had a bad moment": {objects: refused("Error seen: create Pod: etcdserver: request timed out")},
		"a bad moment beside a Service that the Sandbox does not need": {
			objects: append(refused("Error seen: create Pod: etcdserver: request timed out"), foreignService()),
		},
		"a Service that is another's": {
			objects: append(refused("Error seen: Service is another's", wantsService), foreignService()),
			never:   "another's",
		},
		"a Service that is another's and is being deleted": {
			objects: append(refused("Error seen: Service is another's", wantsService), foreignService(builders.DeletedAt(now))),
		},
		"a node that has no room": {
			objects: withPod(builders.Unschedulable("0/1 nodes are available: 1 Insufficient cpu.")),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := request(await.Ready)
			r.GiveUp = true
			step := time.Minute
			if tt.never != "" {
				step = 3 * time.Second
			}
			err := waitWhile(t, fakecluster.New(tt.objects...), r, func(clock *clocktesting.FakeClock) { clock.Step(step) })
			never, timedOut := &await.UnreachableError{}, &await.TimeoutError{}
			switch {
			case tt.never == "" && !errors.As(err, &timedOut):
				t.Errorf("given up: %v", err)
			case tt.never != "" && (!errors.As(err, &never) || !strings.Contains(err.Error(), tt.never) ||
				never.NextStep() != "status dev"):
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestOneWhoDoesNotGiveUpWaitsForATemplateToo(t *testing.T) {
	err := waitWhile(
		t, fakecluster.New(claimThat(apis.ReasonTemplateNotFound)), request(await.Ready),
		func(clock *clocktesting.FakeClock) { clock.Step(time.Minute) },
	)
	if timedOut := (&await.TimeoutError{}); !errors.As(err, &timedOut) ||
		!strings.Contains(timedOut.Obstacle, "TemplateNotFound") {
		t.Errorf("got %v", err)
	}
}
