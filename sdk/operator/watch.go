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
	// patience is how long somebody waits before we look at all: most waits are over by then.
	patience = 5 * time.Second
	// again is when we look once more at a Lease that seems old: a leader renews it every other second.
	again = 3 * time.Second
	// rarest is how often we look at last.
	rarest = time.Minute
)

// Looker looks for trouble.
type Looker struct {
	kubernetes kubernetes.Interface
	clock      clock.WithTicker
}

// New returns a Looker.
func New(kubernetes kubernetes.Interface, clock clock.WithTicker) *Looker {
	return &Looker{kubernetes: kubernetes, clock: clock}
}

// Trouble looks once. Known is false where the caller may not look.
func (l *Looker) Trouble(ctx context.Context, namespace string) (t Trouble, known bool, err error) {
	facts, err := Look(ctx, l.kubernetes)
	if err != nil {
		return Trouble{}, true, err
	}
	return Of(facts, namespace, l.clock.Now()), facts.Known, nil
}

// Watch looks after five seconds, and then ever more rarely, until the context ends, there is trouble, which it says once, or the
// caller may not look. Errors are no news: whoever waits meets them too.
func (l *Looker) Watch(ctx context.Context, namespace string, say func(Trouble)) {
	suspected := Trouble{}
	pause := patience
	for {
		timer := l.clock.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C():
		}
		trouble, known, err := l.Trouble(ctx, namespace)
		switch {
		case ctx.Err() != nil, err == nil && !known:
			return
		case err != nil || trouble.Message == "":
			suspected = Trouble{}
			pause = min(2*pause, rarest)
		case !trouble.Confirmed(suspected):
			suspected, pause = trouble, again
		default:
			say(trouble)
			return
		}
	}
}
