// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// interruptGracePeriod is how long an interrupted command may go on if it has nothing to clean up.
	interruptGracePeriod = 800 * time.Millisecond
	// maxExitHold is how long the cleanup of an interrupted command may take.
	maxExitHold = 20 * time.Second
)

// exitHoldsKey is the key of exitHolds in a context.
type exitHoldsKey struct{}

// exitHolds counts the cleanups that the process waits for.
type exitHolds struct {
	mu    sync.Mutex
	count int
	idle  chan struct{} // closed while count is 0
}

// HoldExit makes an interrupted process wait until release is called, at most maxExitHold. Holds add up, and release
// may be called more than once. It does nothing for a context that does not come from RunInterruptible.
func HoldExit(ctx context.Context) (release func()) {
	h, ok := ctx.Value(exitHoldsKey{}).(*exitHolds)
	if !ok {
		return func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count == 0 {
		h.idle = make(chan struct{})
	}
	h.count++
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.count--; h.count == 0 {
			close(h.idle)
		}
	})
}

// released returns a channel that is closed while nothing holds the exit.
func (h *exitHolds) released() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.idle
}

// RunInterruptible runs a command until it ends, or until its context is cancelled and its grace period is over. ended
// is false if the command is still running.
func RunInterruptible(
	ctx context.Context, clock clock.Clock, command func(context.Context) int,
) (code int, ended bool) {
	h := &exitHolds{idle: make(chan struct{})}
	close(h.idle)
	exitCode := make(chan int, 1)
	go func() { exitCode <- command(context.WithValue(ctx, exitHoldsKey{}, h)) }()
	select {
	case code = <-exitCode:
		return code, true
	case <-ctx.Done():
	}
	holdTimer := clock.NewTimer(maxExitHold)
	defer holdTimer.Stop()
	for {
		select {
		case code = <-exitCode:
			return code, true
		case <-holdTimer.C():
			return 0, false
		case <-h.released():
		}
		graceTimer := clock.NewTimer(interruptGracePeriod)
		select {
		case code = <-exitCode:
			graceTimer.Stop()
			return code, true
		case <-graceTimer.C():
		}
		select {
		case <-h.released(): // no hold was taken in the meantime
			return 0, false
		default:
		}
	}
}
