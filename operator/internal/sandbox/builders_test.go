// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
)

var testNow = time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)

const testUID = types.UID("11111111-2222-3333-4444-555555555555")

type sandboxOption func(*agentsv1beta1.Sandbox)

func box(with ...sandboxOption) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team", Name: "box", UID: testUID, Generation: 3, ResourceVersion: "7",
	}}
	s.Spec.PodTemplate.Spec.Containers = []corev1.Container{{Name: "main", Image: "localhost/x:v1"}}
	for _, m := range with {
		m(s)
	}
	return s
}

//go:fix inline
func scaledTo(n int32) sandboxOption { return func(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = &n } }

func mode(m agentsv1beta1.OperatingMode) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) { s.Spec.OperatingMode = &m }
}

func service(on bool) sandboxOption { return func(s *agentsv1beta1.Sandbox) { s.Spec.Service = &on } }

func shutdown(in time.Duration, policy agentsv1beta1.ShutdownPolicy) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) {
		at := metav1.NewTime(testNow.Add(in))
		s.Spec.ShutdownTime, s.Spec.ShutdownPolicy = &at, &policy
	}
}

func volume(name string) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) {
		s.Spec.VolumeClaimTemplates = append(s.Spec.VolumeClaimTemplates, agentsv1beta1.PersistentVolumeClaimTemplate{
			EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: name},
		})
	}
}

func podLabels(labels map[string]string) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) { s.Spec.PodTemplate.ObjectMeta.Labels = labels }
}

func annotated(key, value string) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) { metadata.Set(&s.Annotations, key, value) }
}

func labelled(key, value string) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) { metadata.Set(&s.Labels, key, value) }
}

func controlledBy(group, kind string) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) {
		s.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: group + "/v1alpha1", Kind: kind, Name: "holder", UID: "holder", Controller: new(true),
		}}
	}
}

func conditioned(kind apis.ConditionType, status bool, reason apis.Reason) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) {
		s.Status.Conditions = append(s.Status.Conditions, apis.NewCondition(nil, kind, status, reason, "before", 2,
			metav1.NewTime(testNow.Add(-time.Minute))))
	}
}

type podOption func(*corev1.Pod)

// builtPod returns the Pod that the reconciler builds for the Sandbox, changed by the options.
func builtPod(s *agentsv1beta1.Sandbox, with ...podOption) *corev1.Pod {
	pod, _ := buildPod(s, nil)
	pod.UID = "pod-uid"
	for _, m := range with {
		m(pod)
	}
	return pod
}

func named(name string) podOption { return func(p *corev1.Pod) { p.Name = name } }

func unowned(p *corev1.Pod) { p.OwnerReferences = nil }

func unlabelled(p *corev1.Pod) { p.Labels = nil }

func ownedBy(kind, name string, uid types.UID) podOption {
	return func(p *corev1.Pod) {
		version := "apps/v1"
		if kind == apis.KindSandbox {
			version = agentsv1beta1.SchemeGroupVersion.String()
		}
		p.OwnerReferences = []metav1.OwnerReference{
			{APIVersion: version, Kind: kind, Name: name, UID: uid, Controller: new(true)},
		}
	}
}

func terminating(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(testNow)) }

func ready(p *corev1.Pod) {
	p.Status.Phase = corev1.PodRunning
	p.Status.PodIPs = []corev1.PodIP{{IP: "10.0.0.9"}}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	p.Spec.NodeName = "node-1"
}

func phase(phase corev1.PodPhase) podOption { return func(p *corev1.Pod) { p.Status.Phase = phase } }

func waitingFor(reason, message string) podOption {
	return func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodPending
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "main", Image: "localhost/x:v1",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
		}}
	}
}

func serviceOf(s *agentsv1beta1.Sandbox) *corev1.Service { return buildService(s, nil, nil) }

func nameHash() string { return naming.Hash("box") }
