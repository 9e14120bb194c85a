// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// suffixLength is how many random characters a member's name ends with.
const suffixLength = 5

// Reconciler keeps pools at their size. It is safe for concurrent use.
type Reconciler struct {
	client       client.Client // reads from the cache, writes to the API server
	live         client.Reader // reads from the API server
	recorder     events.EventRecorder
	clock        clock.PassiveClock
	options      Options
	gauges       Gauges
	expectations *expectations
	suffix       func() string // of a member's name
}

// Gauges show what keeps a pool's Sandboxes from being Ready, or from being made.
type Gauges interface {
	Blocked(pool *extensionsv1beta1.SandboxWarmPool, causes map[podreason.Cause]int)
}

// New returns a Reconciler. Every argument is needed.
func New(
	c client.Client, live client.Reader, recorder events.EventRecorder, clk clock.PassiveClock, options Options, gauges Gauges,
) (*Reconciler, error) {
	if c == nil || live == nil || recorder == nil || clk == nil || gauges == nil {
		return nil, fmt.Errorf("pool reconciler: a dependency is missing")
	}
	var mistakes []error
	options.Validate(func(setting, format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("pool reconciler: %s "+format, append([]any{setting}, args...)...))
	})
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	return &Reconciler{
		client: c, live: live, recorder: recorder, clock: clk, options: options, gauges: gauges, expectations: newExpectations(),
		suffix: func() string { return rand.String(suffixLength) },
	}, nil
}

// Reconcile moves one pool towards its size. It is told of pools that are gone as well: passes of one pool follow each other,
// so nothing is remembered of it afterwards.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var pool extensionsv1beta1.SandboxWarmPool
	switch err := r.client.Get(ctx, request.NamespacedName, &pool); {
	case apierrors.IsNotFound(err):
		r.expectations.DeletePool(request.NamespacedName)
		return reconcile.Result{}, nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("get pool: %w", err)
	case !pool.DeletionTimestamp.IsZero():
		return reconcile.Result{}, nil // owner references take the members along
	}
	now := r.clock.Now()
	inFlight, allowed := r.expectations.GetExpectations(&pool, now, r.options.RefillRate)
	seen, err := r.observe(ctx, &pool, inFlight, allowed, now)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("observe members: %w", err)
	}
	todo := decide(now, &pool, seen, r.options)
	if todo.recheckPool {
		if err := owner.Recheck(ctx, r.live, &pool); err != nil {
			return errorclass.Result(0, conflictRetry, err)
		}
	}
	done := r.apply(ctx, &pool, seen, todo, now)
	r.gauges.Blocked(&pool, blockedCauses(&pool, seen, done))
	due, err := r.report(ctx, &pool, seen, done, now)
	return errorclass.Result(waits.Sooner(waits.Sooner(todo.requeueAfter, due), seen.podRecheckAfter), conflictRetry, append(done.errs, errorclass.LogInvalidStatus(ctx, err))...)
}
