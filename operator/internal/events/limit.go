// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package events

import (
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// Limit bounds how often an event is recorded in each namespace: so many at once, then one in each interval. It is for
// events that say what the status of their object says, too; those over the limit are dropped. One namespace uses up
// nothing of another one's. It is safe for concurrent use. Create it with NewLimit.
type Limit struct {
	clock    clock.PassiveClock
	interval rate.Limit
	atOnce   int

	mu          sync.Mutex
	byNamespace map[string]*rate.Limiter
	pruned      time.Time // when namespaces without recent events were last forgotten
}

// NewLimit returns a limit of which nothing is used.
func NewLimit(clk clock.PassiveClock, atOnce int, interval time.Duration) *Limit {
	return &Limit{
		clock: clk, interval: rate.Every(interval), atOnce: atOnce, byNamespace: map[string]*rate.Limiter{},
	}
}

// Allow reports whether an event in the namespace may be recorded now, and counts it if so.
func (l *Limit) Allow(namespace string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	l.prune(now)
	limiter := l.byNamespace[namespace]
	if limiter == nil {
		limiter = rate.NewLimiter(l.interval, l.atOnce)
		l.byNamespace[namespace] = limiter
	}
	return limiter.AllowN(now, 1)
}

// prune forgets, once a minute, the namespaces that may record as many events as a new one.
func (l *Limit) prune(now time.Time) {
	if now.Sub(l.pruned) < time.Minute {
		return
	}
	l.pruned = now
	maps.DeleteFunc(l.byNamespace, func(_ string, limiter *rate.Limiter) bool {
		return limiter.TokensAt(now) >= float64(l.atOnce)
	})
}
