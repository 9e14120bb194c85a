// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Container returns the container to use: the wanted one, which must exist, or if the name is empty the Pod's annotated
// default, or else its first.
func Container(pod *corev1.Pod, wanted string) (string, error) {
	all := Containers(pod)
	if wanted != "" {
		if slices.Contains(all, wanted) {
			return wanted, nil
		}
		return "", fmt.Errorf("Pod %s has no container %q; it has: %s", pod.Name, wanted, strings.Join(all, ", "))
	}
	if marked := pod.Annotations[apis.AnnotationDefaultContainer]; slices.Contains(all, marked) {
		return marked, nil
	}
	if len(all) == 0 {
		return "", fmt.Errorf("Pod %s has no containers", pod.Name)
	}
	return all[0], nil
}

// Containers returns the names of all containers of the Pod: its regular ones first, then init and ephemeral
// containers.
func Containers(pod *corev1.Pod) []string {
	var names []string
	for i := range pod.Spec.Containers {
		names = append(names, pod.Spec.Containers[i].Name)
	}
	for i := range pod.Spec.InitContainers {
		names = append(names, pod.Spec.InitContainers[i].Name)
	}
	for i := range pod.Spec.EphemeralContainers {
		names = append(names, pod.Spec.EphemeralContainers[i].Name)
	}
	return names
}

// Port returns the number of a container's named port.
func Port(pod *corev1.Pod, name string) (number int32, found bool) {
	for i := range pod.Spec.Containers {
		for _, port := range pod.Spec.Containers[i].Ports {
			if port.Name == name {
				return port.ContainerPort, true
			}
		}
	}
	return 0, false
}
