// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
)

// sandboxHandler enqueues Sandboxes. A Ready one that a claim took needs nothing but other labels of its Pod, which
// hold while claims wait: it is enqueued for the end of the hold, which saves a pass that finds out no more than that.
// Any other event enqueues it at once.
type sandboxHandler struct {
	handler.EnqueueRequestForObject

	gate *claimsfirst.Gate
}

// Update implements handler.EventHandler.
func (h *sandboxHandler) Update(
	ctx context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request],
) {
	byPriority, ok := queue.(priorityqueue.PriorityQueue[reconcile.Request])
	if hold := h.holdFor(e); ok && hold > 0 {
		request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.ObjectNew)}
		byPriority.AddWithOpts(priorityqueue.AddOpts{After: hold, Priority: new(heldPriority)}, request)
		return
	}
	h.EnqueueRequestForObject.Update(ctx, e, queue)
}

func (h *sandboxHandler) holdFor(e event.UpdateEvent) time.Duration {
	was, wasSandbox := e.ObjectOld.(*agentsv1beta1.Sandbox)
	is, isSandbox := e.ObjectNew.(*agentsv1beta1.Sandbox)
	if !wasSandbox || !isSandbox || !isOnlyAdopted(was, is) {
		return 0
	}
	return h.gate.Hold(claimsfirst.PodMetadata, string(is.UID))
}

// isOnlyAdopted reports whether a change is the adoption of a Ready member by a claim that changes nothing in the spec.
func isOnlyAdopted(was, is *agentsv1beta1.Sandbox) bool {
	return was.UID == is.UID && was.Generation == is.Generation && is.DeletionTimestamp == nil &&
		isPoolMember(was) && isClaimed(is) && apis.ConditionTrue(is.Status.Conditions, apis.ConditionReady)
}
