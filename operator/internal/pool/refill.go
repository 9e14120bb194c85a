// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"errors"
	"fmt"
	"time"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// trickleBatch is the largest batch of refills while claims keep coming. It is small, so that the pool soon notices
// that it runs dry or changes. The next batch follows at once.
const trickleBatch = 10

// errClaimsFirst ends a batch of refills because a claim waits.
var errClaimsFirst = errors.New("claims go first")

// fill plans adoptions of orphans and, as far as the rate limit allows, new members. New members are of two kinds:
//
//   - The refill replaces members that claims took, while ready members remain. Nobody waits for it: it holds for
//     claims, and trickles while they keep coming.
//   - Somebody waits for all others: whoever created the pool, scaled it, changed its template or deleted a member, and
//     the claims that find no Ready member. Nothing delays them.
func (p *plan) fill(missing, wanted, ready int, now time.Time, seen observed, o Options) {
	room := min(missing, o.MaxBatch)
	for _, orphan := range seen.orphans {
		if len(p.adopt) < room && adoptable(orphan, seen) {
			p.adopt, p.recheckPool = append(p.adopt, orphan), true
		}
	}
	room -= len(p.adopt)
	create, refill := missing-len(p.adopt), 0
	if ready > 0 {
		refill = min(create, p.adoptions.count)
		create -= refill
	}
	batch := trickleBatch
	if p.coversClaims = seen.coverClaims(ready, now); p.coversClaims {
		batch = 1
	}
	left := create + refill
	create = min(create, room)
	refill = min(refill, room-create)
	switch {
	case refill == 0:
	case seen.claims.Waiting > 0 || p.adoptions.continueAt(now):
		p.refillParallelism = trickleParallelism(ready, wanted)
		refill = min(refill, batch)
	default:
		p.refillParallelism = maxParallelism
	}
	allowed, next := seen.bucket.allow(create+refill, o.RefillRate)
	p.create = min(create, allowed)
	p.refill = allowed - p.create
	left -= allowed
	switch {
	case p.create < create:
		p.requeueWithin(next)
	case next > 0:
		p.refillAgain = next
	case left > 0 && p.trickles():
		p.refillAgain = waits.NextRefill
	case left > 0 && p.refill > 0:
		p.refillAgain = waits.NextBatch
	case left > 0:
		p.requeueWithin(waits.NextBatch)
	}
}

// coverClaims reports whether claims wait for which there are enough members, and no more claims come: a burst that is
// being served. The members that it takes are replaced when it is over.
func (seen observed) coverClaims(ready int, now time.Time) bool {
	claims := seen.claims
	return claims.Waiting > 0 && claims.WantMember <= ready && !now.Before(claims.Last.Add(waits.AdoptionPause))
}

// trickleParallelism returns how many refills are in flight while claims keep coming: two if less than a quarter of the
// pool is Ready. That counts requests, not containers that start: a pool whose members take long to start keeps up,
// too.
func trickleParallelism(ready, wanted int) int {
	if 4*ready < wanted {
		return 2
	}
	return 1
}

// trickles reports whether the refill is slow because claims keep coming.
func (p *plan) trickles() bool { return p.refill > 0 && p.refillParallelism < maxParallelism }

// holdRefill leaves the refill out for a time. Zero lets it go ahead.
func (p *plan) holdRefill(hold time.Duration) {
	if hold > 0 {
		p.refill, p.refillAgain = 0, hold
	}
	p.requeueWithin(p.refillAgain)
}

// refillHold returns how long the refill of a plan has to hold because claims wait. While there are enough members for
// them, each refill holds as any other work does. Otherwise the pool holds once, and then has to keep up with claims.
func (r *Reconciler) refillHold(pool *extensionsv1beta1.SandboxWarmPool, p plan, now time.Time) time.Duration {
	left := p.adoptions.holdLeft(now)
	if p.coversClaims {
		left = waits.CoveredRefill
	}
	if p.refill == 0 || left == 0 {
		return 0
	}
	return min(left, r.gate.Hold(claimsfirst.Refill, holdKey(pool, p.adoptions.since)))
}

// holdKey identifies work that a pool has since a time. Later work of the pool does not inherit its age.
func holdKey(pool *extensionsv1beta1.SandboxWarmPool, since time.Time) string {
	return fmt.Sprintf("%s/%d", pool.UID, since.UnixNano())
}

// refillInterrupted reports whether a claim waits for whose sake a batch of refills has to end. The rest follows after
// its hold. A trickle that may not hold any longer goes on.
func (r *Reconciler) refillInterrupted(p plan, now time.Time) bool {
	return r.gate.Waiting() && (!p.trickles() || p.adoptions.holdLeft(now) > 0)
}
