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

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// liveness is a probe that fails when the caches are out of sync for longer than waits.CacheSync, which is also the
// controllers' CacheSyncTimeout. The time that the CustomResourceDefinitions are missing does not count. Safe for
// concurrent use.
type liveness struct {
	clock  clock.PassiveClock
	synced func(*http.Request) error
	served *atomic.Bool // the CustomResourceDefinitions are served

	mu    sync.Mutex
	since time.Time // when the caches were first seen out of sync; zero while they are in sync
}

func (l *liveness) check(req *http.Request) error {
	if !l.served.Load() {
		return nil
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
	if duration := now.Sub(l.since); duration > waits.CacheSync {
		return fmt.Errorf("the caches are out of sync for %s: %w", duration.Truncate(time.Second), err)
	}
	return nil
}
