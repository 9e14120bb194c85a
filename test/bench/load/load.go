// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package load says when requests are sent, and sends them then, whatever became of the ones before: an open loop, so that a slow
// answer cannot slow down the clock it is measured by.
package load

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Schedule is when each request starts, counted from the beginning of the run, in ascending order.
type Schedule []time.Duration

// Burst starts all requests at once.
func Burst(count int) Schedule { return make(Schedule, max(0, count)) }

// Constant starts requests at equal distances, rate a second. A rate that is not positive is a Burst.
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

// Poisson starts requests as independent clients do, rate a second on average. The same seed gives the same schedule.
func Poisson(rate float64, count int, seed uint64) Schedule {
	all := Burst(count)
	if rate <= 0 {
		return all
	}
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // repeatable, not secret
	at := 0.0
	for i := range all {
		at += random.ExpFloat64() / rate
		all[i] = time.Duration(at * float64(time.Second))
	}
	return all
}

// Length is the time from the first start to the last.
func (s Schedule) Length() time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1] - s[0]
}

// Drive calls do for every start of the schedule at its time, each in a goroutine of its own, and returns when all have returned. A
// context that ends keeps those that have not started from starting.
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
