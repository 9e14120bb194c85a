// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package ending

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// ExitCode returns the exit code with which the work of a Pod ended: that of its default container, or, if that one
// succeeded, of the first container that failed. known is false while no container has ended.
func ExitCode(pod *corev1.Pod) (code int, known bool) {
	if pod == nil {
		return 0, false
	}
	marked := pod.Annotations[apis.AnnotationDefaultContainer]
	for i := range pod.Status.ContainerStatuses {
		status := &pod.Status.ContainerStatuses[i]
		end := status.State.Terminated
		if end == nil {
			continue
		}
		isDefault := status.Name == marked || (marked == "" && isFirst(pod, status.Name))
		if end.ExitCode != 0 && (isDefault || code == 0) {
			code = int(end.ExitCode)
		}
		known = true
		if isDefault && code != 0 {
			return code, true
		}
	}
	return code, known
}

// isFirst reports whether the Pod's first container has that name.
func isFirst(pod *corev1.Pod, name string) bool {
	return len(pod.Spec.Containers) > 0 && pod.Spec.Containers[0].Name == name
}
