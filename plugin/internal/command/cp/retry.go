// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cp

import (
	"context"
	"fmt"
	"time"

	"k8s.io/utils/clock"
)

// maxRetries is how often one command retries after a lost connection. The delay before a retry is one second at first,
// and doubles each time.
const maxRetries = 5

// retrier decides whether a copy continues after its connection was lost.
type retrier struct {
	clock clock.Clock
	warn  func(string)
	tried int
}

// retryAfter warns, waits and returns true, or returns false after maxRetries or when the context is cancelled.
func (r *retrier) retryAfter(ctx context.Context, why error, done int64) bool {
	if r.tried == maxRetries {
		return false
	}
	r.tried++
	r.warn(fmt.Sprintf("%v; %s have been copied; continuing (%d of %d)",
		why, formatSize(float64(done)), r.tried, maxRetries))
	timer := r.clock.NewTimer(time.Second << (r.tried - 1))
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}
