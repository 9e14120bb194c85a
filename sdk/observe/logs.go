// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Logs opens the logs of a container of the target's Pod, which the caller closes. An empty container is the one that
// resolve.Container chooses.
func (o *Observer) Logs(ctx context.Context, t *resolve.Target, wanted *corev1.PodLogOptions) (io.ReadCloser, error) {
	if t.Pod == nil {
		return nil, resolve.Obstacle(t, o.clock.Now())
	}
	container, err := resolve.Container(t.Pod, wanted.Container)
	if err != nil {
		return nil, err
	}
	request := wanted.DeepCopy()
	request.Container = container
	return o.kubernetes.CoreV1().Pods(t.Pod.Namespace).GetLogs(t.Pod.Name, request).Stream(ctx)
}
