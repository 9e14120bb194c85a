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

// maxParallelism limits the concurrent writes of one pool, because claims share the API server's queues.
const maxParallelism = 16

// results are the results of executing a plan. Safe for concurrent use.
type results struct {
	mu      sync.Mutex
	removed map[types.UID]bool       // members that are deleted or being deleted
	added   []*agentsv1beta1.Sandbox // created or adopted
	created int                      // attempts to create a member
	// interrupted reports that a batch of refills ended because a claim waits.
	interrupted bool
	errs        []error
}

func (d *results) locked(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

func (d *results) addError(err error) { d.locked(func() { d.errs = append(d.errs, err) }) }

// apply executes a plan. Deletions come first: the sooner a member is gone, the sooner a reconcile can replace it.
func (r *Reconciler) apply(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen observed, p plan, now time.Time,
) *results {
	done := &results{removed: map[types.UID]bool{}}
	slowStartBatch(ctx, len(p.remove), maxParallelism, func(i int) error {
		return r.remove(ctx, pool, p.remove[i], done, now)
	})
	slowStartBatch(ctx, len(p.relabel), maxParallelism, func(i int) error { return r.relabel(ctx, p.relabel[i], done) })
	slowStartBatch(ctx, len(p.adopt), maxParallelism, func(i int) error {
		return r.adopt(ctx, pool, p.adopt[i], seen.blueprintHash, done, now)
	})
	names := r.newNames(pool, seen, p.create+p.refill)
	create := func(i int) error {
		return r.create(ctx, pool, newMember(pool, seen.template, seen.blueprintHash, names[i]), done, now)
	}
	awaited := min(p.create, len(names))
	slowStartBatch(ctx, awaited, maxParallelism, create)
	slowStartBatch(ctx, len(names)-awaited, p.refillParallelism, func(i int) error {
		if r.refillInterrupted(p, now) {
			done.locked(func() { done.interrupted = true })
			return errClaimsFirst
		}
		return create(awaited + i)
	})
	r.states.recordCreated(pool.UID, done.added, done.created)
	return done
}

// slowStartBatch calls do with each index below count: one call, then two in parallel, then four, up to parallelism. It
// stops after a round with an error, so that an API server that refuses gets few calls.
func slowStartBatch(ctx context.Context, count, parallelism int, do func(i int) error) {
	for next, size := 0, 1; next < count && ctx.Err() == nil; size = min(2*size, parallelism) {
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

// remove deletes a member unless it changed since it was observed, for example because a claim adopted it.
func (r *Reconciler) remove(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, done *results,
	now time.Time,
) error {
	uid, version := member.UID, member.ResourceVersion
	r.expectations.ExpectDeletion(pool.UID, uid, now)
	toDelete := &agentsv1beta1.Sandbox{}
	toDelete.Namespace, toDelete.Name = member.Namespace, member.Name
	err := r.client.Delete(ctx, toDelete, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err == nil || apierrors.IsNotFound(err) {
		done.locked(func() { done.removed[uid] = true })
		return nil
	}
	if certainlyNotWritten(err) {
		r.expectations.DeletionFailed(pool.UID, uid)
	}
	err = fmt.Errorf("delete Sandbox %s: %w", member.Name, err)
	done.addError(err)
	if apierrors.IsConflict(err) {
		return nil // the next deletion may succeed
	}
	return err
}

// relabel writes labels unless the member changed since it was observed.
func (r *Reconciler) relabel(ctx context.Context, labels relabeling, done *results) error {
	err := r.client.Patch(ctx, labels.desired,
		client.MergeFromWithOptions(labels.current, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(apis.FieldOwnerWarmPool))
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	err = fmt.Errorf("restore the labels of Sandbox %s: %w", labels.current.Name, err)
	done.addError(err)
	if apierrors.IsConflict(err) {
		return nil // the next patch may succeed
	}
	return err
}

// adopt makes the pool the controller of an orphan unless the orphan changed since it was observed.
func (r *Reconciler) adopt(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, orphan *agentsv1beta1.Sandbox, blueprintHash string,
	done *results, now time.Time,
) error {
	member := withController(pool, orphan, blueprintHash)
	r.expectations.ExpectCreation(pool.UID, member.Name, now)
	err := r.client.Patch(ctx, member, client.MergeFromWithOptions(orphan, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(apis.FieldOwnerWarmPool))
	if apierrors.IsNotFound(err) {
		err = errorclass.ErrChangedMeanwhile
	}
	return r.recordAddition(pool, member, "adopt", err, done, now)
}

func (r *Reconciler) create(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, done *results,
	now time.Time,
) error {
	done.locked(func() { done.created++ })
	r.expectations.ExpectCreation(pool.UID, member.Name, now)
	err := r.client.Create(ctx, member, client.FieldOwner(apis.FieldOwnerWarmPool))
	return r.recordAddition(pool, member, "create", err, done, now)
}

// recordAddition records the API server's answer to a creation or an adoption. After an error that leaves it open
// whether the Sandbox exists, the expectation stays and the Sandbox counts.
func (r *Reconciler) recordAddition(
	pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, verb string, err error, done *results,
	now time.Time,
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
	done.addError(err)
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// newNames returns up to count names for new members, without the names of known members. A random suffix that repeats
// yields one name less; the next reconcile creates the rest.
func (r *Reconciler) newNames(pool *extensionsv1beta1.SandboxWarmPool, seen observed, count int) []string {
	used := make(map[string]bool, len(seen.members)+count)
	for _, member := range seen.members {
		used[member.Name] = true
	}
	for name := range seen.pending.creations {
		used[name] = true
	}
	names := make([]string, 0, count)
	for range 2 * count {
		if name := pool.Name + "-" + r.suffix(); !used[name] && len(names) < count {
			used[name] = true
			names = append(names, name)
		}
	}
	return names
}
