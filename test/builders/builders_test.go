// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package builders_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var noon = time.Date(2026, time.April, 13, 12, 0, 0, 0, time.UTC)

func TestTwoCallsGiveEqualObjects(t *testing.T) {
	for name, build := range map[string]func() client.Object{
		"Sandbox": func() client.Object {
			return builders.Sandbox("box", builders.WithService(true), builders.WithVolume("data", "1Gi"),
				builders.WithReplicas(0),
				builders.WithShutdown(noon, agentsv1beta1.ShutdownPolicyDelete), builders.WithLabel("a", "b"),
				builders.WithCondition(apis.ConditionReady, true, apis.ReasonDependenciesReady, "", noon))
		},
		"SandboxTemplate": func() client.Object { return builders.Template("python", builders.WithPodLabel("a", "b")) },
		"SandboxClaim": func() client.Object {
			return builders.Claim("box", "python", builders.BoundTo("box-1", "10.0.0.1"))
		},
		"SandboxWarmPool": func() client.Object { return builders.Pool("fast", "python", builders.WithReplicas(3)) },
		"Pod":             func() client.Object { return builders.Pod("box", builders.ReadySince(noon)) },
		"PersistentVolumeClaim": func() client.Object {
			return builders.PersistentVolumeClaim("data-box", "1Gi", builders.Bound("pv"))
		},
		"Service": func() client.Object { return builders.Service("box", builders.WithPort("http", 80)) },
	} {
		t.Run(name, func(t *testing.T) {
			if one, other := build(), build(); !equality.Semantic.DeepEqual(one, other) {
				t.Errorf("got %v\nand %v", one, other)
			}
		})
	}
}

func TestAnOptionUsedTwiceSharesNothing(t *testing.T) {
	options := []builders.SandboxOption{builders.WithService(true), builders.WithReplicas(1), builders.WithLabel("a", "b")}
	one, other := builders.Sandbox("one", options...), builders.Sandbox("other", options...)
	*one.Spec.Service, *one.Spec.Replicas, one.Labels["a"] = false, 0, "c"
	if !*other.Spec.Service || *other.Spec.Replicas != 1 || other.Labels["a"] != "b" {
		t.Errorf("a change of one object changed the other: %+v", other.Spec)
	}
}

func TestOwnedByMakesTheOwnerTheController(t *testing.T) {
	owner := builders.Sandbox("box", builders.WithUID("u-1"))
	for _, child := range []client.Object{
		builders.Pod("box", builders.OwnedBy(owner)),
		builders.Service("box", builders.OwnedBy(owner)),
		builders.PersistentVolumeClaim("data-box", "1Gi", builders.OwnedBy(owner)),
	} {
		if !metav1.IsControlledBy(child, owner) {
			t.Errorf("%T is not controlled by the Sandbox: %v", child, child.GetOwnerReferences())
		}
	}
	if stranger := builders.Pod("box", builders.OwnedByStranger()); metav1.IsControlledBy(stranger, owner) {
		t.Error("a stranger's Pod is controlled by the Sandbox")
	}
}

func TestOwnedByRefusesAnOwnerWithoutIdentity(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an owner without a UID would own every object without a controller")
		}
	}()
	builders.Pod("box", builders.OwnedBy(builders.Sandbox("box")))
}

func TestPodStates(t *testing.T) {
	tests := map[string]struct {
		state builders.PodOption
		phase corev1.PodPhase
		ready bool
	}{
		"ready":             {builders.Ready(), corev1.PodRunning, true},
		"running not ready": {builders.RunningNotReady(), corev1.PodRunning, false},
		"unschedulable":     {builders.Unschedulable("no node"), corev1.PodPending, false},
		"image pull error":  {builders.ImagePullError(), corev1.PodPending, false},
		"crash loop":        {builders.CrashLoop(1, 3), corev1.PodRunning, false},
		"succeeded":         {builders.Succeeded(), corev1.PodSucceeded, false},
		"failed":            {builders.Failed(137, "OOMKilled"), corev1.PodFailed, false},
		"evicted":           {builders.Evicted("disk"), corev1.PodFailed, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pod := builders.Pod("box", test.state)
			ready := false
			for _, c := range pod.Status.Conditions {
				ready = ready || c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
			}
			if pod.Status.Phase != test.phase || ready != test.ready {
				t.Errorf("phase %s and ready %t, want %s and %t", pod.Status.Phase, ready, test.phase, test.ready)
			}
		})
	}
}
