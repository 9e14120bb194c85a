// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// Reconciler moves claims towards owning a ready Sandbox. What it holds are its dependencies; safe for concurrent use.
type Reconciler struct {
	client      client.Client // reads from the cache, writes to the API server
	live        client.Reader // reads from the API server
	queue       *warmqueue.Queue
	recorder    events.EventRecorder
	clock       clock.PassiveClock
	metrics     *metrics.Metrics
	nodeLeaving func(node string) bool
}

// New returns a Reconciler. Every argument is needed; leaving says whether a node is about to go, so that what runs there is taken last.
func New(
	c client.Client, live client.Reader, queue *warmqueue.Queue, recorder events.EventRecorder, clk clock.PassiveClock,
	m *metrics.Metrics, leaving func(node string) bool,
) (*Reconciler, error) {
	if c == nil || live == nil || queue == nil || recorder == nil || clk == nil || m == nil || leaving == nil {
		return nil, fmt.Errorf("claim reconciler: a dependency is missing")
	}
	return &Reconciler{client: c, live: live, queue: queue, recorder: recorder, clock: clk, metrics: m, nodeLeaving: leaving}, nil
}

// Reconcile moves one claim as far towards its Sandbox as the cluster lets it now.
func (r *Reconciler) Reconcile(ctx context.Context, claim *extensionsv1beta1.SandboxClaim) (reconcile.Result, error) {
	if !claim.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil // the owner reference takes the Sandbox along
	}
	now := r.clock.Now()
	seen, err := r.observe(ctx, claim, now)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("observe: %w", err)
	}
	todo := nextStep(now, claim, seen)
	if e, over := todo.(expire); over && e.policy != extensionsv1beta1.ShutdownPolicyRetain {
		return errorclass.Result(0, conflictRetry, r.deleteClaim(ctx, claim, e))
	}
	bound, failed := r.execute(ctx, claim, todo)
	err = r.report(ctx, claim, statusInput{step: todo, sandbox: bound, err: failed, now: now})
	return errorclass.Result(deadlineOf(claim, bound).Remaining(now), conflictRetry, failed, errorclass.LogInvalidStatus(ctx, err))
}
