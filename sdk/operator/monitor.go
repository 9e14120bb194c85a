// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
)

const (
	// firstCheckDelay is the delay before the first check: most waits are over by then, and none reports progress before.
	firstCheckDelay = time.Second
	// recheckDelay is the delay before an old Lease is checked again: a leader renews it every two seconds.
	recheckDelay = 3 * time.Second
	// maxCheckInterval is the longest interval between two checks.
	maxCheckInterval = time.Minute
)

// Monitor checks whether an operator is running.
type Monitor struct {
	kubernetes kubernetes.Interface
	clock      clock.WithTicker
}

// NewMonitor returns a Monitor.
func NewMonitor(kubernetes kubernetes.Interface, clock clock.WithTicker) *Monitor {
	return &Monitor{kubernetes: kubernetes, clock: clock}
}

// Problem checks once. known is false if the caller may not read the operator's objects.
func (l *Monitor) Problem(ctx context.Context, namespace string) (t Problem, known bool, err error) {
	observation, err := Observe(ctx, l.kubernetes)
	if err != nil {
		return Problem{}, true, err
	}
	return ProblemFor(observation, namespace, l.clock.Now()), observation.Known, nil
}

// Watch checks after a second and then at growing intervals. It ends with the context, after reporting one problem, or
// if the caller may not read the operator's objects. Errors are ignored: the caller's own requests meet them too. It
// calls checked once, when it is known whether there is a problem or that this cannot be known, after reporting it.
func (l *Monitor) Watch(ctx context.Context, namespace string, checked func(), say func(Problem)) {
	checked = sync.OnceFunc(checked)
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
		problem, known, err := l.Problem(ctx, namespace)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && !known:
			checked()
			return
		case err != nil || problem.Message == "":
			suspected = Problem{}
			checked()
			pause = min(2*pause, maxCheckInterval)
		case !problem.Confirmed(suspected):
			if suspected.Message != "" { // somebody renews the Lease: only this machine's clock differs
				checked()
			}
			suspected, pause = problem, recheckDelay
		default:
			say(problem)
			checked()
			return
		}
	}
}
