// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
)

const (
	// firstCheckDelay is how long somebody waits before we look at all: most waits are over by then.
	firstCheckDelay = 5 * time.Second
	// recheckDelay is when we look once more at a Lease that seems old: a leader renews it every other second.
	recheckDelay = 3 * time.Second
	// maxCheckInterval is how often we look at last.
	maxCheckInterval = time.Minute
)

// Monitor looks for trouble.
type Monitor struct {
	kubernetes kubernetes.Interface
	clock      clock.WithTicker
}

// NewMonitor returns a Looker.
func NewMonitor(kubernetes kubernetes.Interface, clock clock.WithTicker) *Monitor {
	return &Monitor{kubernetes: kubernetes, clock: clock}
}

// Problem looks once. Known is false where the caller may not look.
func (l *Monitor) Problem(ctx context.Context, namespace string) (t Problem, known bool, err error) {
	facts, err := Observe(ctx, l.kubernetes)
	if err != nil {
		return Problem{}, true, err
	}
	return ProblemFor(facts, namespace, l.clock.Now()), facts.Known, nil
}

// Watch looks after five seconds, and then ever more rarely, until the context ends, there is trouble, which it says once, or the
// caller may not look. Errors are no news: whoever waits meets them too.
func (l *Monitor) Watch(ctx context.Context, namespace string, say func(Problem)) {
	suspected := Problem{}
	pause := firstCheckDelay
	for {
		timer := l.clock.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C():
		}
		trouble, known, err := l.Problem(ctx, namespace)
		switch {
		case ctx.Err() != nil, err == nil && !known:
			return
		case err != nil || trouble.Message == "":
			suspected = Problem{}
			pause = min(2*pause, maxCheckInterval)
		case !trouble.Confirmed(suspected):
			suspected, pause = trouble, recheckDelay
		default:
			say(trouble)
			return
		}
	}
}
