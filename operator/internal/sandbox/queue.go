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

// poolMemberPriority is the priority of a Sandbox that a pool holds: somebody may wait for any other.
const poolMemberPriority = -10

// memberLastQueue is a queue in which what a pool holds waits behind the rest. An item that has a priority keeps it. The queue itself is the
// library's: an item that is in it already goes up, and never down.
type memberLastQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	isPoolMember func(reconcile.Request) bool
}

// newQueue is made for the controller's options.
func (r *Reconciler) newQueue(
	name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	queue := priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limiter })
	return &memberLastQueue{PriorityQueue: queue, isPoolMember: r.cachedAsPoolMember}
}

// cachedAsPoolMember says whether the cache shows that a pool holds the Sandbox.
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
