// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cp

import (
	"context"
	"fmt"
	"time"

	"k8s.io/utils/clock"
)

// maxRetries is how often one command goes on by itself with what was cut. It waits before: a second, then twice as
// long each time.
const maxRetries = 5

// retrier has a copy go on whose connection was lost.
type retrier struct {
	clock clock.Clock
	warn  func(string)
	tried int
}

func (p *retrier) retryAfter(ctx context.Context, why error, done int64) bool {
	if p.tried == maxRetries {
		return false
	}
	p.tried++
	p.warn(fmt.Sprintf("%v; %s have been copied; going on (%d of %d)", why, size(float64(done)), p.tried, maxRetries))
	timer := p.clock.NewTimer(time.Second << (p.tried - 1))
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}
