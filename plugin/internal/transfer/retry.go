// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"context"
	"fmt"
	"time"

	"k8s.io/utils/clock"
)

// maxRetries is how often one command retries after a lost connection. The delay before a retry is one second at first,
// and doubles each time.
const maxRetries = 5

// Retrier decides whether a copy continues after its connection was lost.
type Retrier struct {
	Clock clock.Clock
	Warn  func(string)
	tried int
}

// RetryAfter warns, waits and returns true, or returns false after maxRetries or when the context is cancelled.
func (r *Retrier) RetryAfter(ctx context.Context, why error, done int64) bool {
	if r.tried == maxRetries {
		return false
	}
	r.tried++
	r.Warn(fmt.Sprintf("%v; %s have been copied; continuing (%d of %d)",
		why, FormatSize(float64(done)), r.tried, maxRetries))
	timer := r.Clock.NewTimer(time.Second << (r.tried - 1))
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}
