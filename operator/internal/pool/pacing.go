// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"math"
	"time"
)

// Options are the settings of all pools.
type Options struct {
	// MaxBatch limits the Sandboxes that one reconcile creates, and those that it deletes.
	MaxBatch int
	// ReadinessGracePeriod is the time that a member with a node has to become Ready before it is replaced.
	ReadinessGracePeriod time.Duration
	// UnschedulableRecheck is the period at which an unschedulable member is checked. It is kept, because a replacement
	// would not be schedulable either.
	UnschedulableRecheck time.Duration
	// RefillRate limits the Sandboxes that a pool creates per second, with a burst of one second's worth. Zero means no
	// limit.
	RefillRate float64
}

// Validate calls report for each invalid setting, with the setting's name and the values that it accepts.
func (o Options) Validate(report func(setting, format string, args ...any)) {
	if o.MaxBatch <= 0 {
		report("max-batch-size", "%d: want a positive number", o.MaxBatch)
	}
	if o.ReadinessGracePeriod <= 0 {
		report("readiness-grace-period", "%s: want a positive duration", o.ReadinessGracePeriod)
	}
	if o.UnschedulableRecheck <= 0 {
		report("unschedulable-recheck", "%s: want a positive duration", o.UnschedulableRecheck)
	}
	if !(o.RefillRate >= 0) || math.IsInf(o.RefillRate, 0) { // NaN fails every comparison
		report("refill-rate", "%v: want a positive number, or 0 for no limit", o.RefillRate)
	}
}

// tokenBucket limits how many Sandboxes a pool creates. Tokens accumulate up to one second's worth. It is a value with
// explicit times, so that decide stays a pure function; golang.org/x/time/rate has no fractional burst.
type tokenBucket struct {
	tokens float64
	at     time.Time
}

// newTokenBucket returns a full bucket.
func newTokenBucket(rate float64, now time.Time) tokenBucket {
	return tokenBucket{tokens: burst(rate), at: now}
}

// burst is one second's worth of tokens, and at least one.
func burst(rate float64) float64 { return max(1, rate) }

func (b tokenBucket) refilled(rate float64, now time.Time) tokenBucket {
	earned := max(0, now.Sub(b.at).Seconds()) * rate
	return tokenBucket{tokens: min(b.tokens+earned, burst(rate)), at: now}
}

func (b tokenBucket) withdraw(created int) tokenBucket {
	b.tokens -= float64(created)
	return b
}

// allow returns how many of the wanted Sandboxes may be created now and, if not all, the time until the next one.
func (b tokenBucket) allow(wanted int, rate float64) (now int, next time.Duration) {
	if rate == 0 || b.tokens >= float64(wanted) {
		return wanted, 0
	}
	now = int(max(0, b.tokens)) // less than wanted, so it fits
	seconds := (float64(now) + 1 - b.tokens) / rate
	seconds = min(seconds, time.Hour.Seconds()) // a tiny rate yields more than the 292 years that fit in a Duration
	return now, max(time.Duration(seconds*float64(time.Second)), time.Millisecond)
}
