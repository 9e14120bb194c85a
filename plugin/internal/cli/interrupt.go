// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package interrupt ends a command soon after it was interrupted, whatever it is waiting for.
//
// Invariants:
//   - a command that is stuck, in a pipe that nobody reads or a file that nobody opens, does not keep the process;
//   - one that puts away what it made is waited for, for a bounded time.
package cli

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// interruptGracePeriod is how long a command may go on that has nothing to put away.
	interruptGracePeriod = 800 * time.Millisecond
	// maxExitHold is how long it may take to put things away.
	maxExitHold = 20 * time.Second
)

type exitHoldsKey struct{}

// exitHolds counts those who have something to put away.
type exitHolds struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed while there are none
}

// HoldExit has an interrupted process wait until the function that it returns is called. It may be called more than once.
func HoldExit(ctx context.Context) (release func()) {
	h, ok := ctx.Value(exitHoldsKey{}).(*exitHolds)
	if !ok {
		return func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count == 0 {
		h.none = make(chan struct{})
	}
	h.count++
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.count--; h.count == 0 {
			close(h.none)
		}
	})
}

func (h *exitHolds) released() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.none
}

// RunInterruptible runs a command until it ends, or until it was interrupted and has had its time. It says whether the command has ended.
func RunInterruptible(ctx context.Context, clock clock.Clock, command func(context.Context) int) (code int, ended bool) {
	h := &exitHolds{none: make(chan struct{})}
	close(h.none)
	over := make(chan int, 1)
	go func() { over <- command(context.WithValue(ctx, exitHoldsKey{}, h)) }()
	select {
	case code = <-over:
		return code, true
	case <-ctx.Done():
	}
	long := clock.NewTimer(maxExitHold)
	defer long.Stop()
	for {
		select {
		case code = <-over:
			return code, true
		case <-long.C():
			return 0, false
		case <-h.released():
		}
		short := clock.NewTimer(interruptGracePeriod)
		select {
		case code = <-over:
			short.Stop()
			return code, true
		case <-short.C():
		}
		select {
		case <-h.released(): // nobody has begun anew
			return 0, false
		default:
		}
	}
}
