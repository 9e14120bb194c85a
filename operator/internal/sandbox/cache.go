// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// CacheOptions limits the manager's cache to children with our label, so that other Pods of the cluster use no memory,
// and to the parts of Pods that the reconcilers read. It keeps no managed fields, and equal specs once. Sandboxes are
// not in ByObject, because the manager would refuse to start as long as their CRD is not installed.
func CacheOptions() (cache.Options, error) {
	labelled, err := labels.NewRequirement(apis.LabelSandboxNameHash, selection.Exists, nil)
	if err != nil {
		return cache.Options{}, fmt.Errorf("label selector: %w", err)
	}
	selector := labels.NewSelector().Add(*labelled)
	by := cache.ByObject{Label: selector}
	equal := newSpecs()
	return cache.Options{
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Pod{}:                   {Label: selector, Transform: equal.trimPod},
			&corev1.Service{}:               by,
			&corev1.PersistentVolumeClaim{}: by,
		},
		DefaultTransform: equal.trim,
	}, nil
}

// trim is the transform of all cached objects but Pods.
func (s *specs) trim(object any) (any, error) {
	if sandbox, ok := object.(*agentsv1beta1.Sandbox); ok {
		s.share(&sandbox.Spec.PodTemplate.Spec)
	}
	return cache.TransformStripManagedFields()(object)
}

// trimPod is the transform of cached Pods. It keeps the metadata without managed fields, and of spec and status only
// what the reconcilers read: the node, the ports of containers, and limits of disk use; phase, addresses, conditions
// and how containers run and ended. Everything else is empty in the cache, so a Pod from it must never be written as a
// whole; patches of it write only what was changed in a copy.
func (s *specs) trimPod(object any) (any, error) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return object, nil // a tombstone of the watch
	}
	pod.ManagedFields = nil
	spec := corev1.PodSpec{
		NodeName:       pod.Spec.NodeName,
		InitContainers: trimContainers(pod.Spec.InitContainers),
		Containers:     trimContainers(pod.Spec.Containers),
	}
	for i := range pod.Spec.Volumes {
		if v := &pod.Spec.Volumes[i]; v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil {
			spec.Volumes = append(spec.Volumes, *v)
		}
	}
	s.share(&spec)
	pod.Spec = spec
	status := &pod.Status
	pod.Status = corev1.PodStatus{
		Phase: status.Phase, Reason: status.Reason, Message: status.Message, PodIPs: status.PodIPs,
		Conditions:            status.Conditions,
		InitContainerStatuses: trimStatuses(status.InitContainerStatuses),
		ContainerStatuses:     trimStatuses(status.ContainerStatuses),
	}
	return pod, nil
}

func trimStatuses(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	kept := make([]corev1.ContainerStatus, 0, len(statuses))
	for i := range statuses {
		c := &statuses[i]
		kept = append(kept, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, State: c.State, LastTerminationState: c.LastTerminationState,
			RestartCount: c.RestartCount, Ready: c.Ready, Started: c.Started,
		})
	}
	return kept
}

func trimContainers(containers []corev1.Container) []corev1.Container {
	kept := make([]corev1.Container, 0, len(containers))
	for i := range containers {
		c := &containers[i]
		trimmed := corev1.Container{Name: c.Name, Ports: c.Ports, RestartPolicy: c.RestartPolicy}
		if limit, limited := c.Resources.Limits[corev1.ResourceEphemeralStorage]; limited {
			trimmed.Resources.Limits = corev1.ResourceList{corev1.ResourceEphemeralStorage: limit}
		}
		kept = append(kept, trimmed)
	}
	return kept
}
