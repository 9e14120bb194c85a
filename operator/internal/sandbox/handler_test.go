// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// addedQueue records what is added to a queue.
type addedQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	added []priorityqueue.AddOpts
}

func (q *addedQueue) Add(reconcile.Request) { q.added = append(q.added, priorityqueue.AddOpts{}) }

func (q *addedQueue) AddWithOpts(o priorityqueue.AddOpts, items ...reconcile.Request) {
	for range items {
		q.added = append(q.added, o)
	}
}

func TestWhatAClaimTookIsEnqueuedForWhenItsPodMayBeLabelled(t *testing.T) {
	const later = 2 * time.Second
	for rule, tt := range map[string]struct {
		noClaim bool
		change  sandboxOption
		after   time.Duration
	}{
		"an adoption holds while claims wait": {change: adopted, after: later},
		"an adoption holds for nobody else":   {noClaim: true, change: adopted},
		"a claim that changes the spec waits for the change": {change: func(s *agentsv1beta1.Sandbox) {
			adopted(s)
			s.Generation++
		}},
		"a claim waits for a Sandbox that is not Ready": {change: func(s *agentsv1beta1.Sandbox) {
			adopted(s)
			s.Status.Conditions[0].Status = metav1.ConditionFalse
		}},
		"a deletion does not hold": {change: func(s *agentsv1beta1.Sandbox) {
			adopted(s)
			s.DeletionTimestamp = &metav1.Time{Time: testNow}
		}},
		"nor another Sandbox of the same name": {change: func(s *agentsv1beta1.Sandbox) {
			adopted(s)
			s.UID = "another"
		}},
		"nor a change of a member": {change: labelled("a", "b")},
	} {
		t.Run(rule, func(t *testing.T) {
			w := newWarmWorld(t)
			if !tt.noClaim {
				w.claimWaits("claim")
			}
			was, is := w.sandbox(), w.sandbox()
			tt.change(is)
			is.ResourceVersion += "0"
			w.expectEnqueued(was, is, tt.after)
		})
	}
	w := newWarmWorld(t)
	w.claimWaits("claim")
	was, is := w.sandbox(), w.sandbox()
	adopted(was)
	adopted(is)
	is.ResourceVersion += "0"
	w.expectEnqueued(was, is, 0) // a change of a Sandbox that a claim has
}

func TestAnAdoptionThatHeldIsDoneInOnePass(t *testing.T) {
	w := newWarmWorld(t)
	w.claimWaits("claim")
	was := w.sandbox()
	w.editMetadata(adopted)
	w.expectEnqueued(was, w.sandbox(), 2*time.Second)
	w.gate.ClaimServed("claim")
	w.clock.SetTime(w.clock.Now().Add(2 * time.Second))
	w.expectWrites("patch Pod")
}

// expectEnqueued expects that a change enqueues the Sandbox once, after a time and then behind everything else.
func (w *world) expectEnqueued(was, is client.Object, after time.Duration) {
	w.t.Helper()
	queue := &addedQueue{}
	h := &sandboxHandler{gate: w.gate}
	h.Update(context.Background(), event.UpdateEvent{ObjectOld: was, ObjectNew: is}, queue)
	if len(queue.added) != 1 {
		w.t.Fatalf("it was added %d times", len(queue.added))
	}
	got := queue.added[0]
	if isLast := got.Priority != nil && *got.Priority < 0; got.After != after || isLast != (after > 0) {
		w.t.Errorf("it was added after %s, behind everything else: %t; want %s", got.After, isLast, after)
	}
}
