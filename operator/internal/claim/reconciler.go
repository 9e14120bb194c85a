// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// Reconciler gives each claim a Sandbox. It is safe for concurrent use.
type Reconciler struct {
	client      client.Client // reads from the cache, writes to the API server
	live        client.Reader // reads from the API server
	queue       *warmqueue.Queue
	recorder    events.EventRecorder
	adoptions   *adoptionLimit
	clock       clock.PassiveClock
	metrics     *metrics.Metrics
	nodeLeaving func(node string) bool
	gate        *claimsfirst.Gate
	memory      *memory
	templates   *sharedReads[*extensionsv1beta1.SandboxTemplate]
	pools       *sharedReads[*extensionsv1beta1.SandboxWarmPool]
	leads       sync.Once
	leadsSince  time.Time // when this process began to lead
}

// New returns a Reconciler. No argument may be nil. nodeLeaving reports whether a node is about to be removed: members
// that run there are adopted last. gate learns which claims wait.
func New(
	c client.Client, live client.Reader, queue *warmqueue.Queue, recorder events.EventRecorder, clk clock.PassiveClock,
	m *metrics.Metrics, nodeLeaving func(node string) bool, gate *claimsfirst.Gate,
) (*Reconciler, error) {
	if c == nil || live == nil || queue == nil || recorder == nil || clk == nil || m == nil || nodeLeaving == nil ||
		gate == nil {
		return nil, errors.New("claim reconciler: a dependency is missing")
	}
	templates, err := newSharedReads(c, live, clk, &extensionsv1beta1.SandboxTemplate{})
	if err != nil {
		return nil, err
	}
	pools, err := newSharedReads(c, live, clk, &extensionsv1beta1.SandboxWarmPool{})
	if err != nil {
		return nil, err
	}
	return &Reconciler{
		client: c, live: live, queue: queue, recorder: recorder, adoptions: newAdoptionLimit(clk), clock: clk, metrics: m,
		nodeLeaving: nodeLeaving, gate: gate, memory: newMemory(), templates: templates, pools: pools,
	}, nil
}

// Reconcile moves one claim one step closer to owning a ready Sandbox.
func (r *Reconciler) Reconcile(ctx context.Context, claim *extensionsv1beta1.SandboxClaim) (reconcile.Result, error) {
	result, err := r.reconcile(ctx, claim)
	if err != nil || result.RequeueAfter == 0 || result.RequeueAfter > waits.Conflict {
		r.gate.ClaimServed(claim.UID)
	}
	return result, err
}

// reconcile does the work of Reconcile. A claim whose result is to come back within waits.Conflict still waits.
func (r *Reconciler) reconcile(ctx context.Context, claim *extensionsv1beta1.SandboxClaim) (reconcile.Result, error) {
	if !claim.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil // the garbage collector deletes the Sandbox
	}
	now := r.clock.Now()
	firstObserved := r.firstObserved(claim)
	seen, err := r.observe(ctx, claim, now)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("observe: %w", err)
	}
	next := nextStep(now, claim, seen)
	if e, ok := next.(expire); ok && e.policy != extensionsv1beta1.ShutdownPolicyRetain {
		return errorclass.Result(0, r.deleteClaim(ctx, claim, e))
	}
	sandbox, stepErr := r.execute(ctx, claim, next)
	err = r.report(ctx, claim, statusInput{
		step: next, sandbox: sandbox, err: stepErr, now: now, firstObserved: firstObserved,
	})
	var hold time.Duration
	if err == nil {
		r.gate.ClaimServed(claim.UID)
		hold, err = r.finish(ctx, claim, next, sandbox)
	}
	after := deadlineOf(claim, sandbox).Remaining(now)
	result, err := errorclass.Result(waits.Sooner(after, hold), stepErr, errorclass.LogInvalidStatus(ctx, err))
	if hold > 0 && result.RequeueAfter == hold {
		result.Priority = new(handler.LowPriority)
	}
	return result, err
}
