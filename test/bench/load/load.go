// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package load sends requests on a schedule, in an open loop: a slow response does not delay later requests, which
// would hide its effect on latencies.
package load

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Schedule contains the start of each request, relative to the beginning of the run, in ascending order.
type Schedule []time.Duration

// Burst returns a schedule that starts all requests at once.
func Burst(count int) Schedule { return make(Schedule, max(0, count)) }

// Constant returns a schedule with rate requests a second at equal intervals. A rate that is not positive is a Burst.
func Constant(rate float64, count int) Schedule {
	all := Burst(count)
	if rate <= 0 {
		return all
	}
	for i := range all {
		all[i] = time.Duration(float64(i) / rate * float64(time.Second))
	}
	return all
}

// Poisson returns a schedule of independent clients with rate requests a second on average. The same seed gives the
// same schedule.
func Poisson(rate float64, count int, seed uint64) Schedule {
	all := Burst(count)
	if rate <= 0 {
		return all
	}
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // not a secret
	at := 0.0
	for i := range all {
		at += random.ExpFloat64() / rate
		all[i] = time.Duration(at * float64(time.Second))
	}
	return all
}

// Length returns the time from the first start to the last.
func (s Schedule) Length() time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1] - s[0]
}

// Drive calls do at each start of the schedule in a new goroutine, and returns when all calls have returned. When the
// context ends, it starts no further calls.
func (s Schedule) Drive(ctx context.Context, do func(ctx context.Context, i int)) {
	var running sync.WaitGroup
	defer running.Wait()
	begin := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i, at := range s {
		if wait := at - time.Since(begin); wait > 0 {
			timer.Reset(wait)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
		}
		if ctx.Err() != nil {
			return
		}
		running.Go(func() { do(ctx, i) })
	}
}
