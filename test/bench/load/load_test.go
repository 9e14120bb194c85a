// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func TestSchedules(t *testing.T) {
	tests := map[string]struct {
		schedule Schedule
		want     Schedule
	}{
		"a burst starts all at once": {Burst(3), Schedule{0, 0, 0}},
		"nothing is asked for":       {Burst(-1), Schedule{}},
		"a constant rate has equal distances": {
			Constant(20, 3), Schedule{0, 50 * time.Millisecond, 100 * time.Millisecond},
		},
		"a rate of zero is a burst":                      {Constant(0, 2), Schedule{0, 0}},
		"independent clients without a rate are a burst": {Poisson(0, 2, 1), Schedule{0, 0}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if !slices.Equal(tt.schedule, tt.want) {
				t.Errorf("got %v, want %v", tt.schedule, tt.want)
			}
		})
	}
}

func TestPoissonArrivalsHaveTheirRateAndSpread(t *testing.T) {
	const rate, count = 20.0, 20000
	schedule := Poisson(rate, count, 7)
	if !slices.IsSorted(schedule) {
		t.Fatal("starts are not in order")
	}
	if got := count / schedule[count-1].Seconds(); math.Abs(got-rate) > rate/20 {
		t.Errorf("rate is %.2f, want about %.0f", got, rate)
	}
	// The intervals between independent arrivals have a standard deviation equal to their mean.
	var sum, squares float64
	for i := 1; i < count; i++ {
		distance := (schedule[i] - schedule[i-1]).Seconds()
		sum += distance
		squares += distance * distance
	}
	mean := sum / (count - 1)
	deviation := math.Sqrt(squares/(count-1) - mean*mean)
	if ratio := deviation / mean; ratio < 0.9 || ratio > 1.1 {
		t.Errorf("deviation is %.2f of the mean, want about 1", ratio)
	}
	if !slices.Equal(schedule, Poisson(rate, count, 7)) || slices.Equal(schedule, Poisson(rate, count, 8)) {
		t.Error("the seed does not decide the schedule")
	}
}

func TestDriveStartsEachOnceAndInTime(t *testing.T) {
	var calls atomic.Int32
	begin := time.Now()
	Constant(200, 5).Drive(t.Context(), func(context.Context, int) { calls.Add(1) })
	if got := calls.Load(); got != 5 {
		t.Errorf("%d calls, want 5", got)
	}
	if took := time.Since(begin); took < 20*time.Millisecond {
		t.Errorf("took %s, less than the schedule", took)
	}
}

func TestDriveDoesNotWaitForSlowAnswers(t *testing.T) {
	release := make(chan struct{})
	var started atomic.Int32
	Burst(10).Drive(t.Context(), func(context.Context, int) {
		if started.Add(1) == 10 {
			close(release) // only possible if all ten run at the same time
		}
		<-release
	})
}

func TestDriveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int32
	Schedule{0, time.Hour}.Drive(ctx, func(context.Context, int) {
		calls.Add(1)
		cancel()
	})
	if calls.Load() != 1 {
		t.Errorf("%d calls, want 1", calls.Load())
	}
}
