// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
)

// mostParallel keeps one pool from filling the API server's queues: claims wait in them too. While they do, it takes less.
const mostParallel, gentleParallel = 16, 2

// results is what became of a plan. Safe for concurrent use.
type results struct {
	mu      sync.Mutex
	removed map[types.UID]bool // members that are gone or going
	joined  []*agentsv1beta1.Sandbox
	errs    []error
}

func (d *results) note(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

// apply carries a plan out: what is of no use goes first, so that its room is free a pass earlier.
func (r *Reconciler) apply(ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen observed, p plan, now time.Time) *results {
	done := &results{removed: map[types.UID]bool{}}
	slowStart(ctx, len(p.remove), mostParallel, func(i int) error { return r.remove(ctx, pool, p.remove[i], done, now) })
	slowStart(ctx, len(p.mend), mostParallel, func(i int) error { return r.mend(ctx, p.mend[i], done) })
	slowStart(ctx, len(p.adopt), mostParallel, func(i int) error { return r.adopt(ctx, pool, p.adopt[i], seen.blueprint, done, now) })
	names := r.names(pool, seen, p.create)
	parallel := mostParallel
	if p.gentle {
		parallel = gentleParallel
	}
	slowStart(ctx, len(names), parallel, func(i int) error {
		return r.create(ctx, pool, buildMember(pool, seen.template, seen.blueprint, names[i]), done, now)
	})
	if p.full || len(p.adopt)+p.create > 0 {
		r.memory.refilled(pool.UID, seen.flight.taken, len(names))
	}
	return done
}

// slowStart calls do for each number below count: one call, then two at once, then four, up to most, as long as all went well.
// Where the API server refuses, it hears of it once and not count times.
func slowStart(ctx context.Context, count, most int, do func(i int) error) {
	for next, size := 0, 1; next < count && ctx.Err() == nil; size = min(2*size, most) {
		var wait sync.WaitGroup
		failed := make([]error, min(size, count-next))
		for i := range failed {
			wait.Go(func() { failed[i] = do(next + i) })
		}
		wait.Wait()
		if errors.Join(failed...) != nil {
			return
		}
		next += len(failed)
	}
}

// remove deletes a member if it is still what was judged. One that somebody changed meanwhile, as a claim does, survives.
func (r *Reconciler) remove(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, done *results, now time.Time,
) error {
	uid, version := member.UID, member.ResourceVersion
	r.memory.leave(pool.UID, uid, now)
	doomed := &agentsv1beta1.Sandbox{}
	doomed.Namespace, doomed.Name = member.Namespace, member.Name
	err := r.client.Delete(ctx, doomed, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err == nil || apierrors.IsNotFound(err) {
		done.note(func() { done.removed[uid] = true })
		return nil
	}
	if answered(err) {
		r.memory.stay(pool.UID, uid)
	}
	err = fmt.Errorf("delete Sandbox %s: %w", member.Name, err)
	done.note(func() { done.errs = append(done.errs, err) })
	if apierrors.IsConflict(err) {
		return nil // nothing about the next one
	}
	return err
}

// mend writes labels, if the member is still what was judged.
func (r *Reconciler) mend(ctx context.Context, m mending, done *results) error {
	err := r.client.Patch(ctx, m.want, client.MergeFromWithOptions(m.was, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(apis.FieldOwnerWarmPool))
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	err = fmt.Errorf("mend the labels of Sandbox %s: %w", m.was.Name, err)
	done.note(func() { done.errs = append(done.errs, err) })
	if apierrors.IsConflict(err) {
		return nil // nothing about the next one
	}
	return err
}

// adopt makes the pool the controller of an orphan, if nobody was faster.
func (r *Reconciler) adopt(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, orphan *agentsv1beta1.Sandbox, blueprint string, done *results, now time.Time,
) error {
	want := buildAdopted(pool, orphan, blueprint)
	r.memory.join(pool.UID, want.Name, now)
	err := r.client.Patch(ctx, want, client.MergeFromWithOptions(orphan, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(apis.FieldOwnerWarmPool))
	if apierrors.IsNotFound(err) {
		err = errorclass.ErrDeletedMeanwhile
	}
	return r.arrival(pool, want, "adopt", err, done, now)
}

func (r *Reconciler) create(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, done *results, now time.Time,
) error {
	r.memory.join(pool.UID, member.Name, now)
	err := r.client.Create(ctx, member, client.FieldOwner(apis.FieldOwnerWarmPool))
	return r.arrival(pool, member, "create", err, done, now)
}

// arrival notes what the API server said. Without an answer the Sandbox may be there: it counts until somebody knows.
func (r *Reconciler) arrival(
	pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, verb string, err error, done *results, now time.Time,
) error {
	if err == nil {
		r.memory.joined(pool.UID, member.Name, now)
		done.note(func() { done.joined = append(done.joined, member) })
		return nil
	}
	if answered(err) {
		r.memory.unjoin(pool.UID, member.Name)
	}
	err = fmt.Errorf("%s Sandbox %s: %w", verb, member.Name, err)
	done.note(func() { done.errs = append(done.errs, err) })
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// names are for new members: none is taken, as far as anybody here knows.
func (r *Reconciler) names(pool *extensionsv1beta1.SandboxWarmPool, seen observed, count int) []string {
	used := make(map[string]bool, len(seen.members)+count)
	for _, member := range seen.members {
		used[member.Name] = true
	}
	for name := range seen.flight.joining {
		used[name] = true
	}
	all := make([]string, 0, count)
	for range 2 * count { // chance may give a name twice; the next pass makes up for what is missing
		if name := pool.Name + "-" + r.suffix(); !used[name] && len(all) < count {
			used[name] = true
			all = append(all, name)
		}
	}
	return all
}
