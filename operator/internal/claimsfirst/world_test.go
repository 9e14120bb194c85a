// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claimsfirst

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
)

// world is a gate, a clock and callers that return when they were told to.
type world struct {
	*Gate

	t       *testing.T
	clock   *clocktesting.FakePassiveClock
	holding []*caller
	done    []*caller
	asked   int
}

// caller is a piece of work that asked and holds.
type caller struct {
	key      string
	first    time.Time
	returns  time.Time
	finished time.Time
}

func newWorld(t *testing.T) *world {
	clk := clocktesting.NewFakePassiveClock(start)
	return &world{Gate: New(clk), t: t, clock: clk}
}

// ask asks for the first time for a piece of work.
func (w *world) ask(key string) { w.askAgain(&caller{key: key, first: w.clock.Now()}) }

func (w *world) askAgain(c *caller) {
	now := w.clock.Now()
	w.asked++
	if hold := w.Hold(Event, c.key); hold > 0 {
		c.returns = now.Add(hold)
		w.holding = append(w.holding, c)
		return
	}
	c.finished = now
	w.done = append(w.done, c)
}

// sleep advances the clock, and lets everybody return at the time that they were given.
func (w *world) sleep(d time.Duration) {
	end := w.clock.Now().Add(d)
	for {
		var next *caller
		for _, c := range w.holding {
			if next == nil || c.returns.Before(next.returns) {
				next = c
			}
		}
		if next == nil || next.returns.After(end) {
			w.clock.SetTime(end)
			return
		}
		w.holding = slices.DeleteFunc(w.holding, func(c *caller) bool { return c == next })
		w.clock.SetTime(next.returns)
		w.askAgain(next)
	}
}

// arrive lets so many claims arrive, each with one piece of work.
func (w *world) arrive(claims int) {
	for i := range claims {
		w.ClaimArrived(types.UID(fmt.Sprint("claim-", i)))
		w.ask(fmt.Sprint("claim-", i))
	}
}

// doneBetween counts the work that was done from one time to another.
func (w *world) doneBetween(from, to time.Duration) (n int) {
	for _, c := range w.done {
		if !c.finished.Before(at(from)) && c.finished.Before(at(to)) {
			n++
		}
	}
	return n
}

// expectBounded expects that all work was done in 10 s, and that nobody polled.
func (w *world) expectBounded(work int) {
	w.t.Helper()
	if len(w.done) != work || len(w.holding) != 0 {
		w.t.Fatalf("%d pieces of work were done, %d hold; want %d", len(w.done), len(w.holding), work)
	}
	for _, c := range w.done {
		if held := c.finished.Sub(c.first); held > 10*time.Second {
			w.t.Errorf("%s held for %s", c.key, held)
		}
	}
	if most := 4 * work; w.asked > most {
		w.t.Errorf("%d pieces of work asked %d times, want at most %d", work, w.asked, most)
	}
	if len(w.works.byKey) != 0 || w.works.order.Len() != 0 {
		w.t.Errorf("%d pieces of work are remembered that went ahead", len(w.works.byKey))
	}
}
