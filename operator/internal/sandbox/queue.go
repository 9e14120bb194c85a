// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// poolMemberPriority is the priority of members of pools. It is below the default: users may be waiting for any other
// Sandbox.
const poolMemberPriority = -10

// heldPriority is the priority of what returns after it held for claims. controller-runtime would keep the priority of
// the event that triggered the pass. An event that comes meanwhile raises the priority.
const heldPriority = poolMemberPriority

// memberLastQueue is a priority queue that adds members of pools with a lower priority. An item that is added with a
// priority keeps it. If an item is already queued, controller-runtime's queue keeps the higher of both priorities.
type memberLastQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	isPoolMember func(reconcile.Request) bool
}

// newQueue implements NewQueue of the controller's options.
func (r *Reconciler) newQueue(
	name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	queue := priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limiter })
	return &memberLastQueue{PriorityQueue: queue, isPoolMember: r.cachedAsPoolMember}
}

// cachedAsPoolMember reports whether the Sandbox is a member of a pool according to the cache.
func (r *Reconciler) cachedAsPoolMember(request reconcile.Request) bool {
	var sandbox agentsv1beta1.Sandbox
	err := r.client.Get(context.Background(), request.NamespacedName, &sandbox, client.UnsafeDisableDeepCopy)
	return err == nil && isPoolMember(&sandbox)
}

// Add implements workqueue.TypedInterface.
func (l *memberLastQueue) Add(item reconcile.Request) { l.AddWithOpts(priorityqueue.AddOpts{}, item) }

// AddWithOpts implements priorityqueue.PriorityQueue.
func (l *memberLastQueue) AddWithOpts(o priorityqueue.AddOpts, items ...reconcile.Request) {
	if o.Priority != nil {
		l.PriorityQueue.AddWithOpts(o, items...)
		return
	}
	for _, item := range items {
		own := o
		if l.isPoolMember(item) {
			own.Priority = new(poolMemberPriority)
		}
		l.PriorityQueue.AddWithOpts(own, item)
	}
}
