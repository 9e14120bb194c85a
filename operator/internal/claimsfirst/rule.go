// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claimsfirst

import (
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// rate is how fast work goes ahead. Each rate has slots of its own: a reservation at the slow rate may be seconds away
// and must not delay the work that asks after the last claim was served.
type rate int

const (
	none  rate = iota // no slot was given yet
	soon              // no slot: the work asks again
	fast              // while no claim waits
	young             // while claims wait, when it is old enough; as fast as while none waits
	slow              // while claims wait, and it is old enough
)

// slot is the time at which work may go ahead. The zero value is a slot that was never given.
type slot struct {
	rate rate
	at   time.Time
}

// request is all that the rule depends on.
type request struct {
	now        time.Time
	claimsWait bool
	waitSince  time.Time // since when claims wait without a gap
	firstAsked time.Time
	reserved   slot               // the slot that this work has
	last       map[rate]time.Time // the latest slot that was given at each rate
}

// next returns the next slot of a rate that is not before a time. Slots are so far apart.
func (r request) next(rate rate, from time.Time, apart time.Duration) slot {
	latest := r.firstAsked.Add(waits.HoldLongest)
	return slot{rate, sooner(later(from, r.last[rate].Add(apart)), latest)}
}

// decide returns when the work may go ahead: now, if the time is not after request.now. It is pure.
func decide(r request) slot {
	oldEnough := r.firstAsked.Add(waits.ClaimsFirst)
	switch {
	case !r.claimsWait:
		next := r.next(fast, r.now, waits.FastSlot)
		if r.reserved.rate > soon && r.reserved.at.Before(next.at) {
			return r.reserved
		}
		return next
	case r.reserved.rate == slow:
		return r.reserved
	case r.reserved.rate == young && r.now.Before(r.reserved.at):
		return r.reserved
	case r.now.Before(r.waitSince.Add(waits.ShortWait)):
		return slot{soon, sooner(r.now.Add(waits.NextGap), r.firstAsked.Add(waits.HoldLongest))}
	case r.now.Before(oldEnough):
		return r.next(young, oldEnough, waits.FastSlot)
	default:
		return r.next(slow, r.now, waits.SlowSlot)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func sooner(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
