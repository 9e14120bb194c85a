// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// syncPatience is how long caches may take to sync before the process counts as dead.
const syncPatience = time.Minute

// liveness fails when the caches stay out of sync for longer than syncPatience while the CRDs are served. Safe for
// concurrent use.
type liveness struct {
	clock  clock.PassiveClock
	synced func(*http.Request) error
	served *atomic.Bool

	mu    sync.Mutex
	since time.Time // when the caches were first seen out of sync; zero while they are in sync
}

func (l *liveness) check(req *http.Request) error {
	if !l.served.Load() {
		return nil // waiting for an installation is no illness
	}
	err := l.synced(req)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.since = time.Time{}
		return nil
	}
	now := l.clock.Now()
	if l.since.IsZero() {
		l.since = now
	}
	if out := now.Sub(l.since); out > syncPatience {
		return fmt.Errorf("out of sync for %s: %w", out.Truncate(time.Second), err)
	}
	return nil
}
