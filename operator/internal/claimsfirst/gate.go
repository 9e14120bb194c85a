// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claimsfirst

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// Work is a kind of work that nobody waits for.
type Work string

// The kinds of work. Refill and MemberStatus of a pool without a warm member do not ask: then claims wait for them.
const (
	ClaimMetadata Work = "claim metadata" // labels and annotations of a claim that is served
	Event         Work = "event"
	PodMetadata   Work = "pod metadata" // labels and annotations of an adopted Pod
	Refill        Work = "refill"       // creations that bring a pool back to its size
	PoolStatus    Work = "pool status"
	MemberStatus  Work = "member status" // everything about a pool's member that ends in its status
)

// drains reports whether the work that held needs slots when no claim waits any more. What a pool creates comes at the
// pool's own rate.
func (w Work) drains() bool { return w != Refill && w != MemberStatus }

// Gate knows which claims wait and which work holds for them. It is safe for concurrent use. Create it with New.
type Gate struct {
	clock clock.PassiveClock

	mu        sync.Mutex
	claims    ledger[types.UID, claim] // claims that wait
	waitSince time.Time                // since when claims wait without a gap, if any wait
	works     ledger[workKey, slot]    // work that holds
	last      map[rate]time.Time       // the latest slot that was given at each rate
}

// claim is what is known of a claim that waits.
type claim struct {
	hasMember bool // or takes one now
}

// Claims describes the claims that wait.
type Claims struct {
	Waiting int
	// WantMember is how many of them have no member of a pool yet.
	WantMember int
	// Last is when the last of them arrived.
	Last time.Time
}

type workKey struct {
	work Work
	key  string
}

// New returns a gate without claims.
func New(clk clock.PassiveClock) *Gate {
	return &Gate{
		clock: clk, claims: newLedger[types.UID, claim](), works: newLedger[workKey, slot](), last: map[rate]time.Time{},
	}
}

// ClaimArrived says that a claim waits: it is queued, or between its first write and its Ready. A claim that arrives
// again before it is served keeps the time of its first arrival, and counts as waiting for ten seconds at most.
func (g *Gate) ClaimArrived(claim types.UID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if !g.claimsWait(now) {
		g.waitSince = now
	}
	g.claims.add(claim, now)
}

// ClaimServed says that a claim does not wait any more: it is Ready, or nothing more can be done for it now. A claim
// that did not arrive is ignored.
func (g *Gate) ClaimServed(claim types.UID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.claims.remove(claim)
}

// ClaimHasMember says whether a claim that waits has a member of a pool, or takes one now. It waits until it is served,
// but wants no other member.
func (g *Gate) ClaimHasMember(claim types.UID, has bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if entry := g.claims.get(claim); entry != nil {
		entry.value.hasMember = has
	}
}

// Claims returns the claims that wait.
func (g *Gate) Claims() Claims {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.claimsWait(g.now()) {
		return Claims{}
	}
	var all Claims
	all.Last, _ = g.claims.newest()
	for waiting := range g.claims.all() {
		all.Waiting++
		if !waiting.hasMember {
			all.WantMember++
		}
	}
	return all
}

// Waiting reports whether a claim waits.
func (g *Gate) Waiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.claimsWait(g.now())
}

// Hold returns how long the work has to hold. Zero means that it may go ahead now, and the work is forgotten. Otherwise
// the caller returns after that time and asks again: the work then goes ahead, unless claims wait. The key identifies
// the work among those of its kind. Its age counts from when it first asked until it goes ahead.
func (g *Gate) Hold(work Work, key string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	id := workKey{work, key}
	claimsWait := g.claimsWait(now)
	if !claimsWait && !work.drains() {
		g.works.remove(id)
		return 0
	}
	entry := g.works.add(id, now)
	given := decide(request{
		now: now, claimsWait: claimsWait, waitSince: g.waitSince,
		firstAsked: entry.since, reserved: entry.value, last: g.last,
	})
	entry.value, g.last[given.rate] = given, later(g.last[given.rate], given.at)
	hold := given.at.Sub(now)
	if hold <= 0 {
		g.works.remove(id)
		return 0
	}
	return hold
}

// claimsWait reports whether a claim arrived less than the time ago for which it counts. The last one arrived last.
func (g *Gate) claimsWait(now time.Time) bool {
	newest, ok := g.claims.newest()
	return ok && now.Before(newest.Add(waits.ClaimCounts))
}

// now returns the time, and forgets what is too old to come back.
func (g *Gate) now() time.Time {
	now := g.clock.Now()
	forgotten := now.Add(-waits.HoldForgotten)
	g.claims.removeUntil(forgotten)
	g.works.removeUntil(forgotten)
	return now
}
