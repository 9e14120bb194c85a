// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// adoptions are the members that claims took and that the pool has not replaced yet. The zero value is none.
type adoptions struct {
	count int
	since time.Time // since when there are any
	last  time.Time // when a reconcile last saw a new one
}

// next returns the adoptions after claims took further members, if so many members of the pool are missing: a pool that
// is complete, or that was scaled down, has replaced all.
func (a adoptions) next(taken, missing int, now time.Time) adoptions {
	next := adoptions{count: min(a.count+taken, max(0, missing)), since: a.since, last: a.last}
	if next.count == 0 {
		return adoptions{}
	}
	if next.count <= taken { // those before are replaced
		next.since = now
	}
	if taken > 0 {
		next.last = now
	}
	return next
}

// continueAt reports whether claims still take members.
func (a adoptions) continueAt(now time.Time) bool {
	return a.count > 0 && now.Before(a.last.Add(waits.AdoptionPause))
}

// holdLeft returns how long the refill may still hold for claims. A pool that is behind for longer refills although
// claims wait: if they never stop, it must not run dry.
func (a adoptions) holdLeft(now time.Time) time.Duration {
	return max(0, a.since.Add(waits.ClaimsFirst).Sub(now))
}

// observeAdoptions counts the members that claims took since the last reconcile. It compares what the cache showed then
// with what it shows now, so that the count and the missing members are of the same moment; events arrive later.
func (r *Reconciler) observeAdoptions(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen *observed,
) error {
	gone := r.states.membersOf(pool.UID)
	for _, list := range [...][]*agentsv1beta1.Sandbox{seen.members, seen.foreign} {
		for _, member := range list {
			delete(gone, member.UID)
		}
	}
	for uid, name := range gone {
		key := client.ObjectKey{Namespace: pool.Namespace, Name: name}
		sandbox, err := lookup.Get(ctx, r.client, key, &agentsv1beta1.Sandbox{})
		if err != nil {
			return err
		}
		if sandbox != nil && sandbox.UID == uid && owner.HasController(sandbox, apis.KindSandboxClaim) {
			seen.taken++
		}
	}
	return nil
}
