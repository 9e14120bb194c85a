// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package e2e contains the end-to-end tests: the operator in a real cluster, and the plugin as a user runs it.
package e2e

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func withService(s *agentsv1beta1.Sandbox) { on := true; s.Spec.Service = &on }

func withVolume(s *agentsv1beta1.Sandbox) {
	s.Spec.VolumeClaimTemplates = []agentsv1beta1.PersistentVolumeClaimTemplate{{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("16Mi")},
			},
		},
	}}
	s.Spec.PodTemplate.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
}

func running(command ...string) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.Spec.RestartPolicy = corev1.RestartPolicyNever
		s.Spec.PodTemplate.Spec.Containers[0].Command = command
	}
}

func TestASandboxHasAPodAServiceAndItsWholeStatus(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	s := h.NewSandbox("simple", withService, func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.ObjectMeta = agentsv1beta1.PodMetadata{
			Labels: map[string]string{"team": "blue"}, Annotations: map[string]string{"note": "hello"},
		}
		s.Spec.PodTemplate.Spec.Containers[0].Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}
	})
	h.Create(s)
	got := h.Ready("simple")

	var pod corev1.Pod
	var svc corev1.Service
	if !h.Get("simple", &pod) || !h.Get("simple", &svc) {
		t.Fatal("Pod or Service is missing")
	}
	status := got.Status.DeepCopy()
	status.Conditions = nil
	want := &agentsv1beta1.SandboxStatus{
		Replicas: 1, LabelSelector: "agents.x-k8s.io/sandbox-name-hash=" + naming.Hash("simple"),
		Service: "simple", ServiceFQDN: "simple." + h.Namespace + ".svc.cluster.local",
		PodIPs: []string{pod.Status.PodIP}, NodeName: pod.Spec.NodeName,
	}
	if diff := cmp.Diff(want, status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Ready=True/DependenciesReady: Pod is Ready; Service Exists"},
		harness.FormatConditions(got)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if !metav1.IsControlledBy(&pod, got) || !metav1.IsControlledBy(&svc, got) {
		t.Error("Pod or Service lacks its owner")
	}
	if pod.Labels["team"] != "blue" || pod.Annotations["note"] != "hello" {
		t.Errorf("metadata did not reach the Pod: %v %v", pod.Labels, pod.Annotations)
	}
	if svc.Spec.ClusterIP != corev1.ClusterIPNone || len(svc.Spec.Ports) != 1 || svc.Spec.Ports[0].Name != "http" {
		t.Errorf("Service is %+v", svc.Spec)
	}
}

func TestKubectlScaleSuspendsAndDataSurvives(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	s := h.Create(h.NewSandbox("scaled", withService, withVolume))
	h.Ready("scaled")
	h.MustKubectl("exec", "scaled", "--", "sh", "-c", "echo kept > /data/file")

	h.MustKubectl("scale", "sandbox/scaled", "--replicas=0")
	h.MustKubectl("wait", "--for=condition=Suspended", "--timeout=60s", "sandbox/scaled")
	if pods := h.OwnedPods(s); len(pods) != 0 {
		t.Errorf("Suspended is True and there are %d Pods", len(pods))
	}
	suspended := h.Condition("scaled", "Ready=False/SandboxSuspended")
	if suspended.Status.Replicas != 0 || suspended.Status.LabelSelector == "" || len(suspended.Status.PodIPs) != 0 {
		t.Errorf("status while suspended: %+v", suspended.Status)
	}
	if !h.Get("scaled", &corev1.Service{}) {
		t.Error("the suspension deleted the Service")
	}

	h.MustKubectl("scale", "sandbox/scaled", "--replicas=1")
	resumed := h.Ready("scaled")
	if apis.FindCondition(resumed.Status.Conditions, apis.ConditionSuspended) != nil {
		t.Errorf("Suspended is still there: %v", harness.FormatConditions(resumed))
	}
	if got := h.MustKubectl("exec", "scaled", "--", "cat", "/data/file"); got != "kept\n" {
		t.Errorf("the volume holds %q", got)
	}
	h.Edit("scaled", func(s *agentsv1beta1.Sandbox) {
		m := agentsv1beta1.OperatingModeSuspended
		s.Spec.OperatingMode = &m
	})
	h.Condition("scaled", "Suspended=True/PodTerminated")
}

func TestAtItsShutdownTimeASandboxWithDeleteIsGoneAndSoAreItsChildren(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Create(h.NewSandbox("short", withService, withVolume))
	h.Ready("short")
	at := metav1.NewTime(time.Now().Add(3 * time.Second).Truncate(time.Second))
	h.Edit("short", func(s *agentsv1beta1.Sandbox) {
		policy := agentsv1beta1.ShutdownPolicyDelete
		s.Spec.ShutdownTime, s.Spec.ShutdownPolicy = &at, &policy
	})
	h.Gone("short", &agentsv1beta1.Sandbox{})
	if early := time.Until(at.Time); early > 0 {
		t.Errorf("gone %v too early", early)
	}
	h.Gone("short", &corev1.Pod{})
	h.Gone("short", &corev1.Service{})
	h.Gone("data-short", &corev1.PersistentVolumeClaim{})
}

func TestARetainedExpiryKeepsFinishedAndVolumesAndCanBeExtended(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Create(h.NewSandbox("kept", withService, withVolume, running("true")))
	h.Condition("kept", "Finished=True/PodSucceeded")
	h.Condition("kept", "Ready=False/PodSucceeded")
	h.Edit("kept", func(s *agentsv1beta1.Sandbox) { now := metav1.Now(); s.Spec.ShutdownTime = &now })
	expired := h.Condition("kept", "Ready=False/SandboxExpired")
	h.Gone("kept", &corev1.Pod{})
	h.Gone("kept", &corev1.Service{})
	h.Eventually("an emptied status", func() error {
		h.Get("kept", expired)
		status := expired.Status.DeepCopy()
		status.Conditions = nil
		if diff := cmp.Diff(&agentsv1beta1.SandboxStatus{}, status); diff != "" {
			return fmt.Errorf("status is not empty:\n%s", diff)
		}
		return nil
	})
	if !apis.ConditionTrue(expired.Status.Conditions, apis.ConditionFinished) {
		t.Errorf("Finished did not survive: %v", harness.FormatConditions(expired))
	}
	if !h.Get("data-kept", &corev1.PersistentVolumeClaim{}) {
		t.Error("the expiry deleted the volume")
	}
	h.Must("extend", "kept", "--by", "1h")
	h.Condition("kept", "Finished=True/PodSucceeded") // it has run again
	h.Condition("kept", "Ready=False/PodSucceeded")
}

func TestTwentySandboxesAtOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			if err := h.Client.Create(h.Context(), h.NewSandbox(fmt.Sprintf("many-%d", i))); err != nil {
				t.Errorf("create %d: %v", i, err)
			}
		})
	}
	group.Wait()
	for i := range 20 {
		h.Ready(fmt.Sprintf("many-%d", i))
	}
}
