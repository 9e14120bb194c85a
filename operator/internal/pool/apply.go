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

// maxParallelism keeps one pool from filling the API server's queues: claims wait in them too. While they do, it takes less.
const maxParallelism, throttledParallelism = 16, 2

// results is what became of a plan. Safe for concurrent use.
type results struct {
	mu      sync.Mutex
	removed map[types.UID]bool // members that are gone or going
	added   []*agentsv1beta1.Sandbox
	errs    []error
}

func (d *results) locked(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

// apply carries a plan out: what is of no use goes first, so that its room is free a pass earlier.
func (r *Reconciler) apply(ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen observed, p plan, now time.Time) *results {
	done := &results{removed: map[types.UID]bool{}}
	slowStartBatch(ctx, len(p.remove), maxParallelism, func(i int) error { return r.remove(ctx, pool, p.remove[i], done, now) })
	slowStartBatch(ctx, len(p.relabel), maxParallelism, func(i int) error { return r.relabel(ctx, p.relabel[i], done) })
	slowStartBatch(ctx, len(p.adopt), maxParallelism, func(i int) error { return r.adopt(ctx, pool, p.adopt[i], seen.templateHash, done, now) })
	names := r.newNames(pool, seen, p.create)
	parallel := maxParallelism
	if p.throttled {
		parallel = throttledParallelism
	}
	slowStartBatch(ctx, len(names), parallel, func(i int) error {
		return r.create(ctx, pool, newMember(pool, seen.template, seen.templateHash, names[i]), done, now)
	})
	if p.complete || len(p.adopt)+p.create > 0 {
		r.expectations.RecordRefill(pool.UID, seen.pending.adoptions, len(names))
	}
	return done
}

// slowStartBatch calls do for each number below count: one call, then two at once, then four, up to most, as long as all went well.
// Where the API server refuses, it hears of it once and not count times.
func slowStartBatch(ctx context.Context, count, most int, do func(i int) error) {
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
	r.expectations.ExpectDeletion(pool.UID, uid, now)
	doomed := &agentsv1beta1.Sandbox{}
	doomed.Namespace, doomed.Name = member.Namespace, member.Name
	err := r.client.Delete(ctx, doomed, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err == nil || apierrors.IsNotFound(err) {
		done.locked(func() { done.removed[uid] = true })
		return nil
	}
	if certainlyNotWritten(err) {
		r.expectations.DeletionFailed(pool.UID, uid)
	}
	err = fmt.Errorf("delete Sandbox %s: %w", member.Name, err)
	done.locked(func() { done.errs = append(done.errs, err) })
	if apierrors.IsConflict(err) {
		return nil // nothing about the next one
	}
	return err
}

// relabel writes labels, if the member is still what was judged.
func (r *Reconciler) relabel(ctx context.Context, m relabeling, done *results) error {
	err := r.client.Patch(ctx, m.desired, client.MergeFromWithOptions(m.current, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(apis.FieldOwnerWarmPool))
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	err = fmt.Errorf("mend the labels of Sandbox %s: %w", m.current.Name, err)
	done.locked(func() { done.errs = append(done.errs, err) })
	if apierrors.IsConflict(err) {
		return nil // nothing about the next one
	}
	return err
}

// adopt makes the pool the controller of an orphan, if nobody was faster.
func (r *Reconciler) adopt(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, orphan *agentsv1beta1.Sandbox, blueprint string, done *results, now time.Time,
) error {
	want := adopted(pool, orphan, blueprint)
	r.expectations.ExpectCreation(pool.UID, want.Name, now)
	err := r.client.Patch(ctx, want, client.MergeFromWithOptions(orphan, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(apis.FieldOwnerWarmPool))
	if apierrors.IsNotFound(err) {
		err = errorclass.ErrDeletedMeanwhile
	}
	return r.recordAddition(pool, want, "adopt", err, done, now)
}

func (r *Reconciler) create(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, done *results, now time.Time,
) error {
	r.expectations.ExpectCreation(pool.UID, member.Name, now)
	err := r.client.Create(ctx, member, client.FieldOwner(apis.FieldOwnerWarmPool))
	return r.recordAddition(pool, member, "create", err, done, now)
}

// recordAddition notes what the API server said. Without an answer the Sandbox may be there: it counts until somebody knows.
func (r *Reconciler) recordAddition(
	pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, verb string, err error, done *results, now time.Time,
) error {
	if err == nil {
		r.expectations.CreationConfirmed(pool.UID, member.Name, now)
		done.locked(func() { done.added = append(done.added, member) })
		return nil
	}
	if certainlyNotWritten(err) {
		r.expectations.CreationFailed(pool.UID, member.Name)
	}
	err = fmt.Errorf("%s Sandbox %s: %w", verb, member.Name, err)
	done.locked(func() { done.errs = append(done.errs, err) })
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// newNames are for new members: none is taken, as far as anybody here knows.
func (r *Reconciler) newNames(pool *extensionsv1beta1.SandboxWarmPool, seen observed, count int) []string {
	used := make(map[string]bool, len(seen.members)+count)
	for _, member := range seen.members {
		used[member.Name] = true
	}
	for name := range seen.pending.creations {
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
