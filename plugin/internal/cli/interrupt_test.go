// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

type result struct {
	code  int
	ended bool
}

// begin runs a command and cancels its context when it runs.
func begin(t *testing.T, clock *clocktesting.FakeClock, command func(context.Context) int) <-chan result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	running, over := make(chan struct{}), make(chan result, 1)
	go func() {
		code, ended := cli.RunInterruptible(ctx, clock, func(ctx context.Context) int {
			close(running)
			return command(ctx)
		})
		over <- result{code, ended}
	}()
	<-running
	cancel()
	return over
}

// step advances the clock when something waits for it.
func step(t *testing.T, clock *clocktesting.FakeClock, waiters int, by time.Duration) {
	t.Helper()
	for clock.Waiters() < waiters {
		runtime.Gosched()
	}
	clock.Step(by)
}

func TestACommandThatIsStuckIsLeft(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	stuck := make(chan struct{})
	defer close(stuck)
	over := begin(t, clock, func(context.Context) int { <-stuck; return 0 })
	step(t, clock, 2, time.Second)
	if got := <-over; got.ended {
		t.Errorf("got %+v", got)
	}
}

func TestACommandThatHeedsTheInterruptSaysItsCode(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	over := begin(t, clock, func(ctx context.Context) int { <-ctx.Done(); return 7 })
	if got := <-over; got != (result{7, true}) {
		t.Errorf("got %+v", got)
	}
}

func TestWhatIsPutAwayIsWaitedFor(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	put := make(chan struct{})
	over := begin(t, clock, func(ctx context.Context) int {
		defer cli.HoldExit(ctx)()
		<-put
		return 130
	})
	step(t, clock, 1, 5*time.Second)
	select {
	case got := <-over:
		t.Fatalf("left while something was put away: %+v", got)
	default:
	}
	close(put)
	if got := <-over; got != (result{130, true}) {
		t.Errorf("got %+v", got)
	}
}

func TestPuttingAwayIsNotWaitedForForEver(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	stuck := make(chan struct{})
	defer close(stuck)
	holding := make(chan struct{})
	over := begin(t, clock, func(ctx context.Context) int {
		defer cli.HoldExit(ctx)()
		close(holding)
		<-stuck
		return 0
	})
	<-holding
	step(t, clock, 1, time.Minute)
	step(t, clock, 0, time.Minute)
	if got := <-over; got.ended {
		t.Errorf("got %+v", got)
	}
}
