// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package events

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/reference"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
)

// maxHeld is the number of events that a Holder holds. They are references and texts, so they use a few MB at most.
const maxHeld = 4096

// Holder holds events, Normal and Warning alike, as long as the gate says so, and then passes them on in the order in
// which they were recorded. An event has the time at which it is passed on. Invariants:
//   - No event is lost: if there are too many, the oldest one is passed on although claims wait. When the Holder stops,
//     all are.
//   - Recording an event never waits, for the gate or for the API server.
//
// A Holder is safe for concurrent use. It is a Runnable of the manager; until Start is called, events that have to hold
// stay in it. Create it with NewHolder.
type Holder struct {
	gate   *claimsfirst.Gate
	scheme *runtime.Scheme
	clock  clock.Clock
	most   int

	mu       sync.Mutex
	held     []*heldEvent // the oldest first
	recorded uint64       // how many events were recorded; the keys of the gate
	stopped  bool         // everything is passed on at once
	changed  chan struct{}
}

// heldEvent is an event, and until when it holds.
type heldEvent struct {
	key      string
	passOn   func()
	until    time.Time
	released bool // it waits only for those before it
}

// NewHolder returns a Holder that asks the gate. The scheme knows the kinds of the objects that events are about.
func NewHolder(gate *claimsfirst.Gate, scheme *runtime.Scheme, clk clock.Clock) *Holder {
	return &Holder{gate: gate, scheme: scheme, clock: clk, most: maxHeld, changed: make(chan struct{}, 1)}
}

// Recorder returns a recorder that passes its events through the Holder to another recorder.
func (h *Holder) Recorder(to events.EventRecorder) events.EventRecorder {
	return &heldRecorder{holder: h, to: to}
}

type heldRecorder struct {
	holder *Holder
	to     events.EventRecorder
}

// Eventf implements events.EventRecorder. It keeps references only: objects are large, and callers may change them.
func (r *heldRecorder) Eventf(
	regarding, related runtime.Object, eventType, reason, action, note string, args ...any,
) {
	about, err := reference.GetReference(r.holder.scheme, regarding)
	if err != nil {
		r.to.Eventf(regarding, related, eventType, reason, action, note, args...) // it logs the error
		return
	}
	var relatedTo runtime.Object
	if related != nil {
		if ref, err := reference.GetReference(r.holder.scheme, related); err == nil {
			relatedTo = ref
		}
	}
	text := fmt.Sprintf(note, args...)
	r.holder.add(func() { r.to.Eventf(about, relatedTo, eventType, reason, action, "%s", text) })
}

// add passes an event on, or holds it.
func (h *Holder) add(passOn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		passOn()
		return
	}
	h.recorded++
	event := &heldEvent{key: strconv.FormatUint(h.recorded, 10), passOn: passOn}
	h.ask(event)
	h.held = append(h.held, event)
	h.passOnReleased()
	if len(h.held) > h.most {
		h.passOnFirst()
	}
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// Start passes held events on until the context ends, and then all of them.
func (h *Holder) Start(ctx context.Context) error {
	for ctx.Err() == nil {
		h.wait(ctx, h.passOnDue())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	for len(h.held) > 0 {
		h.passOnFirst()
	}
	return nil
}

// NeedLeaderElection implements manager.LeaderElectionRunnable. Every replica passes events on.
func (h *Holder) NeedLeaderElection() bool { return false }

// wait returns at the given time, when an event was added, or when the context ends. A zero time is never.
func (h *Holder) wait(ctx context.Context, until time.Time) {
	var due <-chan time.Time
	if !until.IsZero() {
		timer := h.clock.NewTimer(until.Sub(h.clock.Now()))
		defer timer.Stop()
		due = timer.C()
	}
	select {
	case <-ctx.Done():
	case <-due:
	case <-h.changed:
	}
}

// passOnDue asks again for each event whose time has come, and passes on what need not hold. It returns the time of the
// next one, or the zero time.
func (h *Holder) passOnDue() (next time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock.Now()
	for _, event := range h.held {
		if !event.released && !event.until.After(now) {
			h.ask(event)
		}
	}
	h.passOnReleased()
	for _, event := range h.held {
		if !event.released && (next.IsZero() || event.until.Before(next)) {
			next = event.until
		}
	}
	return next
}

func (h *Holder) ask(event *heldEvent) {
	hold := h.gate.Hold(claimsfirst.Event, event.key)
	event.released, event.until = hold == 0, h.clock.Now().Add(hold)
}

func (h *Holder) passOnReleased() {
	for len(h.held) > 0 && h.held[0].released {
		h.passOnFirst()
	}
}

func (h *Holder) passOnFirst() {
	first := h.held[0]
	h.held[0], h.held = nil, h.held[1:]
	first.passOn()
}
