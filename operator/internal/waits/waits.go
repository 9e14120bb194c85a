// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package waits names every fixed wait of the operator. docs/reference/waits.md lists them, and a test keeps both
// equal.
package waits

import "time"

// Waits before an object is reconciled again.
const (
	// Conflict is the wait after a write based on an old version. It gives the cache time to show the newer one; the
	// operator's own status writes trigger no reconcile.
	Conflict = 50 * time.Millisecond
	// Blocked is the wait for a change that triggers no reconcile: another owner's object disappears, the Pod of a pool
	// member that is not Ready has another problem, or the last Pod that needs the NetworkPolicy of a deleted template
	// disappears.
	Blocked = 15 * time.Second
	// DeletionPoll is the wait for an object that is being deleted and that the cache may not hold, such as a Pod without
	// labels.
	DeletionPoll = 5 * time.Second
	// Rejected is the wait after the API server answers "invalid". A change of the object triggers a reconcile sooner, but
	// an admission policy answers with the same code, and may allow later what it denies now.
	Rejected = time.Minute
	// ShortestBackoff and LongestBackoff bound the exponential backoff after errors. LongestBackoff is also the longest
	// time by which an object that fails can miss a deadline.
	ShortestBackoff = 50 * time.Millisecond
	LongestBackoff  = 30 * time.Second
	// Resync is the period after which every object is reconciled even without an event. The operator's own status writes
	// trigger no reconcile, so a forged status does not either: it is corrected at the next event, or at the resync.
	Resync = time.Hour
	// MinReplacementAge is the least age at which an evicted Pod or a finished pool member is replaced. Without it, one
	// that ends as soon as it starts would be recreated without a pause.
	MinReplacementAge = 10 * time.Second
	// MaxReplacementAge bounds the wait before an evicted Pod is replaced, which grows with the time that its Sandbox is
	// not Ready.
	MaxReplacementAge = time.Minute
)

// Waits of warm pools.
const (
	// MemberEvents collects the events of a pool's members into one reconcile. When it ends, most claims are served. It
	// is no multiple of the time between claims at 10 or 20 a second, so that the refill does not find a claim waiting
	// each time.
	MemberEvents = 80 * time.Millisecond
	// NextBatch is the wait between two full batches of creations or deletions. Other pools and claims get their turn.
	NextBatch = 100 * time.Millisecond
	// NextRefill is the wait between two batches of a refill while claims keep coming. It is only a turn of the queue: a
	// pause would limit the rate of claims that a pool can keep up with.
	NextRefill = time.Millisecond
	// CoveredRefill is after how long a refill that holds asks again whether claims still wait for which there are enough
	// members, and no more claims come.
	CoveredRefill = 500 * time.Millisecond
	// AdoptionPause is the time without an adoption after which a pool replaces all adopted members at once.
	AdoptionPause = 500 * time.Millisecond
	// PoolStatus is the longest delay of a pool's status while members change. A member that is taken and replaced within
	// it causes no write.
	PoolStatus = time.Second
	// MemberStart is the least age at which the Pod of a member that is not Ready is examined. Most members only start.
	MemberStart = 5 * time.Second
	// CacheLag is the wait for the cache to show a write before the API server is asked.
	CacheLag = 10 * time.Second
	// StartingStatus is the longest delay of the first status of a pool's Sandbox. In most cases it is Ready sooner, which
	// saves a write.
	StartingStatus = 5 * time.Second
)

// Waits of work that nobody waits for, while claims wait (see package claimsfirst).
const (
	// ClaimsFirst is the time for which such work holds while claims wait. A burst of claims is served meanwhile.
	ClaimsFirst = 2 * time.Second
	// ShortWait is the time for which claims wait without a gap before work holds for long. Claims that come one by one
	// leave gaps sooner.
	ShortWait = 200 * time.Millisecond
	// NextGap is the time after which work asks again that finds claims waiting since less than ShortWait. It is no
	// multiple of the time between claims either.
	NextGap = 230 * time.Millisecond
	// HoldLongest is the longest time for which it holds, even if claims never stop arriving.
	HoldLongest = 10 * time.Second
	// FastSlot is the time between two pieces of work while no claim waits: what was held is done at 200 a second, so that
	// the next claims do not meet a busy API server.
	FastSlot = 5 * time.Millisecond
	// SlowSlot is the time between two pieces of work while claims wait: what has held long enough is done at 5 a second.
	SlowSlot = 200 * time.Millisecond
	// AdoptionEvent is the time between two events about adoptions in a namespace, after the first ones.
	AdoptionEvent = time.Second
	// ClaimCounts is the longest time for which a claim counts as waiting. One that nobody serves holds no work after it.
	ClaimCounts = 10 * time.Second
	// HoldForgotten is the time after which work that did not return is forgotten, such as that of a deleted object.
	HoldForgotten = time.Minute
)

// Waits of the process.
const (
	// CRDPoll is the period between two checks for a missing CustomResourceDefinition at the start.
	CRDPoll = 2 * time.Second
	// CacheSync is the time that the caches have to sync. After it the controllers give up, the liveness probe fails, and
	// the kubelet restarts the operator. A large cluster takes more than a minute.
	CacheSync = 10 * time.Minute
	// CacheProbe is the time that a probe waits for the caches.
	CacheProbe = time.Second
	// ElectionRetry is the period at which the leader renews its Lease. The library stretches it up to 2.2 times for the
	// other replicas: one of them leads within 2.2 seconds after the leader releases the Lease.
	ElectionRetry = time.Second
	// ElectionSilence is the longest silence of the leader election before the liveness probe fails. The election sends a
	// request every second or two and gives up on an answer after ten seconds: a longer silence is a loop that hangs.
	ElectionSilence = 30 * time.Second
	// Shutdown is the time that reconciles have to finish when the operator stops.
	Shutdown = 10 * time.Second
	// Tracing is the time that the setup of tracing, and the export of the last spans, may take.
	Tracing = 10 * time.Second
)

// Sooner returns the shorter of two delays. Zero or less means no delay.
func Sooner(a, b time.Duration) time.Duration {
	if a <= 0 || (b > 0 && b < a) {
		return max(0, b)
	}
	return a
}
