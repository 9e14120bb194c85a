// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package interrupt ends a command soon after it was interrupted, whatever it is waiting for.
//
// Invariants:
//   - a command that is stuck, in a pipe that nobody reads or a file that nobody opens, does not keep the process;
//   - one that puts away what it made is waited for, for a bounded time.
package interrupt

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// grace is how long a command may go on that has nothing to put away.
	grace = 800 * time.Millisecond
	// longest is how long it may take to put things away.
	longest = 20 * time.Second
)

type key struct{}

// holds counts those who have something to put away.
type holds struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed while there are none
}

// Hold has an interrupted process wait until the function that it returns is called. It may be called more than once.
func Hold(ctx context.Context) (release func()) {
	h, ok := ctx.Value(key{}).(*holds)
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

func (h *holds) released() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.none
}

// Run runs a command until it ends, or until it was interrupted and has had its time. It says whether the command has ended.
func Run(ctx context.Context, clock clock.Clock, command func(context.Context) int) (code int, ended bool) {
	h := &holds{none: make(chan struct{})}
	close(h.none)
	over := make(chan int, 1)
	go func() { over <- command(context.WithValue(ctx, key{}, h)) }()
	select {
	case code = <-over:
		return code, true
	case <-ctx.Done():
	}
	long := clock.NewTimer(longest)
	defer long.Stop()
	for {
		select {
		case code = <-over:
			return code, true
		case <-long.C():
			return 0, false
		case <-h.released():
		}
		short := clock.NewTimer(grace)
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
