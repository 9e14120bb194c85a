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
)

// CacheByObject limits the manager's cache to children with our label, so that other Pods of the cluster use no memory,
// and to the parts of Pods that the reconcilers read.
func CacheByObject() (map[client.Object]cache.ByObject, error) {
	labelled, err := labels.NewRequirement(apis.LabelSandboxNameHash, selection.Exists, nil)
	if err != nil {
		return nil, fmt.Errorf("label selector: %w", err)
	}
	selector := labels.NewSelector().Add(*labelled)
	by := cache.ByObject{Label: selector}
	return map[client.Object]cache.ByObject{
		&corev1.Pod{}:                   {Label: selector, Transform: trimPod},
		&corev1.Service{}:               by,
		&corev1.PersistentVolumeClaim{}: by,
	}, nil
}

// trimPod is the transform of cached Pods. It keeps the metadata without managed fields, the status, and of the spec
// only what the reconcilers read: the node, the ports of containers, and limits of disk use. Everything else is empty
// in the cache, so a Pod from it must never be written as a whole; patches of it write only what was changed in a copy.
func trimPod(object any) (any, error) {
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
	pod.Spec = spec
	return pod, nil
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
