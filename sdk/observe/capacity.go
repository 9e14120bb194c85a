// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/capacity"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Capacity reads the nodes, all Pods and the namespace's quotas. It returns an error if it cannot read the nodes or the
// Pods; quotas that it cannot read are left out.
func (o *Observer) Capacity(ctx context.Context, namespace string) (*capacity.Cluster, error) {
	nodes, err := o.kubernetes.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	pods, err := o.kubernetes.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: notEnded})
	if err != nil {
		return nil, fmt.Errorf("list the Pods of all namespaces: %w", err)
	}
	f := &capacity.Cluster{Nodes: nodes.Items, Pods: pods.Items}
	if quotas, err := o.kubernetes.CoreV1().ResourceQuotas(namespace).List(ctx, metav1.ListOptions{}); err == nil {
		f.Quotas = quotas.Items
	}
	return f, nil
}

// notEnded excludes Pods that have ended.
//
//nolint:gochecknoglobals // read only
var notEnded = fields.AndSelectors(
	fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
	fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
).String()

// SnapshotWithNodes returns a Snapshot with the node of a Pod that is not Ready or, for an unschedulable Pod, what each
// node lacks. It reads all nodes and Pods: call it for a single request of a user, not repeatedly.
func (o *Observer) SnapshotWithNodes(ctx context.Context, t *resolve.Target) diagnose.Snapshot {
	f := o.Snapshot(ctx, t)
	if f.Operator == diagnose.OperatorUnknown && diagnose.NeedsOperator(&f) {
		if state, problem := o.Operator(ctx, t.Namespace); state != diagnose.OperatorUnknown {
			AddOperator(&f, t, problem)
		}
	}
	if t.Pod != nil && t.Pod.Spec.NodeName != "" && !diagnose.PodReady(t.Pod) {
		if node, err := o.kubernetes.CoreV1().Nodes().Get(ctx, t.Pod.Spec.NodeName, metav1.GetOptions{}); err == nil {
			f.Node = node // otherwise the Pod's conditions are used
		}
	}
	if t.Pod == nil || !diagnose.Unschedulable(t.Pod) {
		return f
	}
	cluster, err := o.Capacity(ctx, t.Pod.Namespace)
	if err != nil {
		return f // the scheduler's message is used instead
	}
	cluster.Quotas = nil // the Pod exists, so the quotas have admitted it
	for i := range f.Volumes {
		if name := f.Volumes[i].Spec.VolumeName; name != "" {
			if volume, err := o.kubernetes.CoreV1().PersistentVolumes().Get(ctx, name, metav1.GetOptions{}); err == nil {
				cluster.Volumes = append(cluster.Volumes, *volume)
			}
		}
	}
	answer := capacity.Calculate(t.Pod, nil, cluster)
	f.Capacity = &answer
	return f
}
