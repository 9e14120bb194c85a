// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package ending_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
)

func TestTheExitCodeOfAPod(t *testing.T) {
	// containers returns a Pod whose containers main and side ended with these codes; -1 is one that has not ended.
	containers := func(main, side int32) *corev1.Pod {
		pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}, {Name: "side"}}}}
		for i, code := range []int32{side, main} { // the order of statuses is no promise
			status := corev1.ContainerStatus{Name: []string{"side", "main"}[i]}
			if code >= 0 {
				status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: code}
			}
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
		}
		return pod
	}
	marked := containers(3, 4)
	marked.Annotations = map[string]string{"kubectl.kubernetes.io/default-container": "side"}
	tests := map[string]struct {
		pod   *corev1.Pod
		code  int
		known bool
	}{
		"no Pod has none": {},
		"a Pod whose containers still run has none": {pod: containers(-1, -1)},
		"success is 0":                                 {pod: containers(0, 0), known: true},
		"the first container decides":                  {pod: containers(3, 4), code: 3, known: true},
		"the marked container decides":                 {pod: marked, code: 4, known: true},
		"a container that failed beside a success":     {pod: containers(0, 4), code: 4, known: true},
		"a container that failed beside a running one": {pod: containers(-1, 4), code: 4, known: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if code, known := ending.ExitCode(tt.pod); code != tt.code || known != tt.known {
				t.Errorf("got %d, %v", code, known)
			}
		})
	}
}
