// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
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

// Reconciler gives each claim a Sandbox. It is safe for concurrent use.
type Reconciler struct {
	client      client.Client // reads from the cache, writes to the API server
	live        client.Reader // reads from the API server
	queue       *warmqueue.Queue
	recorder    events.EventRecorder
	clock       clock.PassiveClock
	metrics     *metrics.Metrics
	nodeLeaving func(node string) bool
}

// New returns a Reconciler. No argument may be nil. nodeLeaving reports whether a node is about to be removed: members
// that run there are adopted last.
func New(
	c client.Client, live client.Reader, queue *warmqueue.Queue, recorder events.EventRecorder, clk clock.PassiveClock,
	m *metrics.Metrics, nodeLeaving func(node string) bool,
) (*Reconciler, error) {
	if c == nil || live == nil || queue == nil || recorder == nil || clk == nil || m == nil || nodeLeaving == nil {
		return nil, errors.New("claim reconciler: a dependency is missing")
	}
	return &Reconciler{
		client: c, live: live, queue: queue, recorder: recorder, clock: clk, metrics: m, nodeLeaving: nodeLeaving,
	}, nil
}

// Reconcile moves one claim one step closer to owning a ready Sandbox.
func (r *Reconciler) Reconcile(ctx context.Context, claim *extensionsv1beta1.SandboxClaim) (reconcile.Result, error) {
	if !claim.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil // the garbage collector deletes the Sandbox
	}
	now := r.clock.Now()
	seen, err := r.observe(ctx, claim, now)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("observe: %w", err)
	}
	next := nextStep(now, claim, seen)
	if e, ok := next.(expire); ok && e.policy != extensionsv1beta1.ShutdownPolicyRetain {
		return errorclass.Result(0, r.deleteClaim(ctx, claim, e))
	}
	sandbox, stepErr := r.execute(ctx, claim, next)
	err = r.report(ctx, claim, statusInput{step: next, sandbox: sandbox, err: stepErr, now: now})
	after := deadlineOf(claim, sandbox).Remaining(now)
	return errorclass.Result(after, stepErr, errorclass.LogInvalidStatus(ctx, err))
}
