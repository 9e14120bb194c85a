// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// Reconciler moves Sandboxes towards their specs. It has no state of its own and is safe for concurrent use.
type Reconciler struct {
	client        client.Client // reads from the cache, writes to the API server
	live          client.Reader // reads from the API server
	recorder      events.EventRecorder
	clock         clock.PassiveClock
	clusterDomain string
	gate          *claimsfirst.Gate
	hasMember     func(namespace, poolHash string) bool
}

// New returns a Reconciler. All arguments are required. clusterDomain is the DNS suffix of the cluster's Services.
// hasMember reports whether a pool has a warm member, which claims can take; poolHash is the value of the pool's label.
func New(
	c client.Client, live client.Reader, recorder events.EventRecorder, clk clock.PassiveClock, clusterDomain string,
	gate *claimsfirst.Gate, hasMember func(namespace, poolHash string) bool,
) (*Reconciler, error) {
	if c == nil || live == nil || recorder == nil || clk == nil || clusterDomain == "" || gate == nil || hasMember == nil {
		return nil, fmt.Errorf("sandbox reconciler: a dependency is missing")
	}
	return &Reconciler{
		client: c, live: live, recorder: recorder, clock: clk, clusterDomain: clusterDomain, gate: gate, hasMember: hasMember,
	}, nil
}

// Reconcile moves one Sandbox towards its spec, as far as the state of its children allows.
func (r *Reconciler) Reconcile(ctx context.Context, sandbox *agentsv1beta1.Sandbox) (reconcile.Result, error) {
	if !sandbox.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil // the garbage collector deletes the children
	}
	now := r.clock.Now()
	seen, err := r.observe(ctx, sandbox)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("observe children: %w", err)
	}
	sandbox = r.withPolicyOfPod(ctx, sandbox, seen)
	todo := decide(now, sandbox, seen)
	if hold := r.holdFor(sandbox, todo, now); hold > 0 {
		after := waits.Sooner(waits.Sooner(hold, todo.requeueAfter), todo.deadline.Remaining(now))
		return reconcile.Result{RequeueAfter: after, Priority: new(heldPriority)}, nil
	}
	done := r.apply(ctx, sandbox, todo)
	if todo.deleteSelf {
		return errorclass.Result(0, done.errors()...)
	}
	statusDue, err := r.report(ctx, sandbox, todo, done, now)
	after := waits.Sooner(waits.Sooner(statusDue, todo.requeueAfter), todo.deadline.Remaining(now))
	if done.isWaiting() {
		after = waits.Sooner(after, waits.DeletionPoll)
	}
	return errorclass.Result(after, append(done.errors(), errorclass.LogInvalidStatus(ctx, err))...)
}
