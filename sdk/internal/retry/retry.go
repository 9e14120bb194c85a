// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package retry repeats what may be repeated.
//
// Invariants:
//   - nothing is repeated after the context has ended, and the pause ends with the context;
//   - pauses double and are random within limits, so that many clients do not come back at once.
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/utils/clock"
)

const (
	// Attempts is how often something is tried.
	Attempts = 6
	// firstPause is the pause after the first attempt.
	firstPause = 500 * time.Millisecond
	// maxPause is the longest pause, unless the remote end asks for a longer one.
	maxPause = 8 * time.Second
	// maxAskedPause is the longest pause that the remote end can ask for.
	maxAskedPause = 30 * time.Second
	// jitter is by which share a pause is longer or shorter.
	jitter = 0.25
)

// Verdict says whether an attempt that failed may be repeated.
type Verdict struct {
	Again bool
	// After is the pause that the remote end asked for; 0 if it did not.
	After time.Duration
}

// ErrExhausted is the kind of an *ExhaustedError, for errors.Is.
var ErrExhausted = errors.New("retries exhausted")

// ExhaustedError reports that every attempt failed.
type ExhaustedError struct {
	Attempts int
	// Last is the error of the last attempt.
	Last error
}

// Error implements error.
func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("given up after %d attempts: %v", e.Attempts, e.Last)
}

// Is reports whether the kind is ErrExhausted.
func (e *ExhaustedError) Is(kind error) bool { return kind == ErrExhausted }

// Unwrap returns the error of the last attempt.
func (e *ExhaustedError) Unwrap() error { return e.Last }

// Series counts the attempts of one operation. The first one has been made.
type Series struct {
	Clock clock.WithTicker
	next  int
}

// Exhausted reports whether there were Attempts of them.
func (s *Series) Exhausted() bool { return s.next >= Attempts-1 }

// Pause waits before the next attempt, at least for as long as the remote end asked for. It returns false if there is
// no next attempt, because there were enough or the context has ended.
func (s *Series) Pause(ctx context.Context, asked time.Duration) bool {
	if s.Exhausted() {
		return false
	}
	s.next++
	timer := s.Clock.NewTimer(max(pause(s.next, rand.Float64()), min(asked, maxAskedPause)))
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}

// Do calls attempt until it succeeds, judge says that it is in vain, or there were Attempts of them. If the context
// ends during a pause, the error is also that of the last attempt.
func Do(ctx context.Context, c clock.WithTicker, attempt func() error, judge func(error) Verdict) error {
	series := &Series{Clock: c}
	for {
		err := attempt()
		if err == nil || ctx.Err() != nil {
			return err
		}
		verdict := judge(err)
		if !verdict.Again {
			return err
		}
		if series.Exhausted() {
			return &ExhaustedError{Attempts: Attempts, Last: err}
		}
		if !series.Pause(ctx, verdict.After) {
			return fmt.Errorf("%w, before attempt %d: %w", context.Cause(ctx), series.next+1, err)
		}
	}
}

// pause returns the pause after the nth attempt. random is from 0 to 1.
func pause(n int, random float64) time.Duration {
	whole := min(firstPause<<(n-1), maxPause)
	return time.Duration(float64(whole) * (1 - jitter + 2*jitter*random))
}
