// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// suffixLength is the number of random characters at the end of a member's name.
const suffixLength = 5

// Reconciler keeps pools at their size. Safe for concurrent use.
type Reconciler struct {
	client       client.Client // reads from the cache, writes to the API server
	live         client.Reader // reads from the API server
	recorder     events.EventRecorder
	clock        clock.PassiveClock
	options      Options
	gauges       Gauges
	gate         *claimsfirst.Gate
	expectations *expectations
	states       *poolStates
	suffix       func() string // of a new member's name
}

// Gauges show what keeps a pool's Sandboxes from being Ready, or from being created.
type Gauges interface {
	Blocked(pool *extensionsv1beta1.SandboxWarmPool, causes map[podreason.Cause]int)
}

// New returns a Reconciler. Every argument is required. The gate knows whether claims wait.
func New(
	c client.Client, live client.Reader, recorder events.EventRecorder, clk clock.PassiveClock, options Options,
	gauges Gauges, gate *claimsfirst.Gate,
) (*Reconciler, error) {
	if c == nil || live == nil || recorder == nil || clk == nil || gauges == nil || gate == nil {
		return nil, fmt.Errorf("pool reconciler: a dependency is missing")
	}
	var invalid []error
	options.Validate(func(setting, format string, args ...any) {
		invalid = append(invalid, fmt.Errorf("pool reconciler: %s "+format, append([]any{setting}, args...)...))
	})
	if len(invalid) > 0 {
		return nil, errors.Join(invalid...)
	}
	return &Reconciler{
		client: c, live: live, recorder: recorder, clock: clk, options: options, gauges: gauges, gate: gate,
		expectations: newExpectations(), states: newPoolStates(),
		suffix: func() string { return rand.String(suffixLength) },
	}, nil
}

// Reconcile moves one pool towards its size. Requests for deleted pools reach it too. Because the queue serializes the
// requests of a pool, nothing is remembered about a pool after its deletion.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	pool, err := lookup.Get(ctx, r.client, request.NamespacedName, &extensionsv1beta1.SandboxWarmPool{})
	switch {
	case err != nil:
		return reconcile.Result{}, err
	case pool == nil:
		r.expectations.DeleteExpectations(request.NamespacedName)
		r.states.delete(request.NamespacedName)
		return reconcile.Result{}, nil
	case !pool.DeletionTimestamp.IsZero():
		return reconcile.Result{}, nil // the garbage collector deletes the members
	}
	now := r.clock.Now()
	pending := r.expectations.GetExpectations(pool)
	bucket, adoptions := r.states.startReconcile(pool, now, r.options.RefillRate)
	seen, err := r.observe(ctx, pool, pending, now)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("observe members: %w", err)
	}
	seen.bucket, seen.adoptions = bucket, adoptions
	seen.claims = r.gate.Claims()
	todo := decide(now, pool, seen, r.options)
	r.states.recordMembers(pool.UID, todo.adoptions, seen.members, seen.foreign)
	todo.holdRefill(r.refillHold(pool, todo, now))
	if todo.recheckPool {
		if err := owner.Recheck(ctx, r.live, pool); err != nil {
			return errorclass.Result(0, err)
		}
	}
	done := r.apply(ctx, pool, seen, todo, now)
	r.gauges.Blocked(pool, blockedCauses(pool, seen, done))
	statusDue, err := r.report(ctx, pool, seen, done, now)
	if done.interrupted {
		todo.requeueWithin(waits.NextRefill) // which asks how long the rest has to hold
	}
	after := waits.Sooner(waits.Sooner(todo.requeueAfter, statusDue), seen.podRecheckAfter)
	return errorclass.Result(after, append(done.errs, errorclass.LogInvalidStatus(ctx, err))...)
}
