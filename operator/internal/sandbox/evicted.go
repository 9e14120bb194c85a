// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
)

// markEvictedByEvent returns the Pod as evicted if an Event says that its kubelet evicted it. A kubelet that evicts a
// Pod for exceeding a disk limit sets no condition, and if the process exits with 0 on SIGTERM, phase Succeeded
// replaces the reason Evicted (kubelet 1.37, generateAPIPodStatus). Only the Event, recorded before SIGTERM, remains.
// Listing it costs one request per ended Pod with a limit.
func (r *Reconciler) markEvictedByEvent(
	ctx context.Context, sandbox *agentsv1beta1.Sandbox, pod *corev1.Pod,
) (*corev1.Pod, error) {
	if apis.ConditionTrue(sandbox.Status.Conditions, apis.ConditionFinished) ||
		ending.Of(pod).Cause != ending.Completed || !hasDiskLimit(&pod.Spec) {
		return pod, nil
	}
	var list corev1.EventList
	err := r.live.List(ctx, &list, client.InNamespace(pod.Namespace), client.MatchingFields{
		"involvedObject.uid": string(pod.UID), "reason": ending.ReasonEvicted,
	})
	switch {
	case apierrors.IsForbidden(err): // an older installation's role
		log.FromContext(ctx).Info("no permission to list Events: a Pod that its kubelet evicted may count as finished",
			"cause", err.Error())
		return pod, nil
	case err != nil:
		return nil, fmt.Errorf("list events of Pod %s: %w", pod.Name, err)
	case len(list.Items) == 0:
		return pod, nil
	}
	pod = pod.DeepCopy()
	pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, ending.ReasonEvicted, list.Items[0].Message
	return pod, nil
}

// hasDiskLimit reports whether the Pod's use of its node's disk is limited.
func hasDiskLimit(spec *corev1.PodSpec) bool {
	limitedVolume := func(v corev1.Volume) bool { return v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil }
	limitedContainer := func(c corev1.Container) bool {
		_, limited := c.Resources.Limits[corev1.ResourceEphemeralStorage]
		return limited
	}
	return slices.ContainsFunc(spec.Volumes, limitedVolume) ||
		slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), limitedContainer)
}
