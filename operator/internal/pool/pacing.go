// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"math"
	"time"
)

// Options are what can be set about pools.
type Options struct {
	// MaxBatch is how many Sandboxes one pass creates, and how many it deletes, at most.
	MaxBatch int
	// ReadinessGracePeriod is how long a member may be not Ready, once it has a node, before it is replaced.
	ReadinessGracePeriod time.Duration
	// UnschedulableRecheck is how often a member that no node takes is looked at. It is held: another one would fare no better.
	UnschedulableRecheck time.Duration
	// RefillDelay is how long no claim must have taken a member before the taken ones are replaced. Claims that keep coming
	// put it off, up to ten times as long, or until no ready member is left; from then on the refill goes gently beside them.
	RefillDelay time.Duration
	// RefillRate is how many Sandboxes a second a pool creates at most; zero is no limit. One second's worth may come at once.
	RefillRate float64
}

// maxRefillDelay keeps ten times the delay a duration that makes sense.
const maxRefillDelay = time.Hour

// Validate tells each mistake: the setting, and what it takes.
func (o Options) Validate(wrong func(setting, format string, args ...any)) {
	if o.MaxBatch <= 0 {
		wrong("max-batch-size", "%d: want a positive number", o.MaxBatch)
	}
	if o.ReadinessGracePeriod <= 0 {
		wrong("readiness-grace-period", "%s: want a positive duration", o.ReadinessGracePeriod)
	}
	if o.UnschedulableRecheck <= 0 {
		wrong("unschedulable-recheck", "%s: want a positive duration", o.UnschedulableRecheck)
	}
	if o.RefillDelay < 0 || o.RefillDelay > maxRefillDelay {
		wrong("refill-delay", "%s: want 0 to %s", o.RefillDelay, maxRefillDelay)
	}
	if !(o.RefillRate >= 0) || math.IsInf(o.RefillRate, 0) { // what is no number fails every comparison
		wrong("refill-rate", "%v: want a positive number, or 0 for no limit", o.RefillRate)
	}
}

// refillDelayLeft is how long the refill still waits for claims.
func (o Options) refillDelayLeft(t recentAdoptions, now time.Time) time.Duration {
	if t.last.IsZero() {
		return 0
	}
	const patience = 10
	quiet, most := t.last.Add(o.RefillDelay), t.first.Add(patience*o.RefillDelay)
	if most.Before(quiet) {
		quiet = most
	}
	return max(0, quiet.Sub(now))
}

// claimsActive says whether claims took a member just now.
func (o Options) claimsActive(t recentAdoptions, now time.Time) bool {
	return !t.last.IsZero() && now.Before(t.last.Add(o.RefillDelay))
}

// tokenBucket is how many Sandboxes a pool may create. It grows with time up to one second's worth, and is unlimited without a rate.
type tokenBucket struct {
	tokens float64
	at     time.Time
}

func newTokenBucket(rate float64, now time.Time) tokenBucket {
	return tokenBucket{tokens: burst(rate), at: now}
}

// burst is one second's worth, at least one.
func burst(rate float64) float64 { return max(1, rate) }

func (c tokenBucket) refilled(rate float64, now time.Time) tokenBucket {
	earned := max(0, now.Sub(c.at).Seconds()) * rate
	return tokenBucket{tokens: min(c.tokens+earned, burst(rate)), at: now}
}

func (c tokenBucket) withdraw(created int) tokenBucket {
	c.tokens -= float64(created)
	return c
}

// allow is how many of those that are wanted may be created now, and, if not all, when the next may.
func (c tokenBucket) allow(wanted int, rate float64) (now int, next time.Duration) {
	if rate == 0 || c.tokens >= float64(wanted) {
		return wanted, 0
	}
	now = int(max(0, c.tokens)) // less than wanted, so it fits
	seconds := (float64(now) + 1 - c.tokens) / rate
	if longest := maxRefillDelay.Seconds(); seconds > longest {
		seconds = longest // a duration holds no more than 292 years; a rate may ask for that
	}
	return now, max(time.Duration(seconds*float64(time.Second)), time.Millisecond)
}
