// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package freshread shares reads among callers that each need an answer which is not older than some time, such as the
// time at which the operator learned of a claim. docs/adr/0015-reads-that-claims-share.md gives the reasons.
//
// Invariants:
//   - a caller gets the answer of a read that began after the time that it names, or after its call;
//   - of each key, at most one read runs, and at most one waits for it;
//   - an error is returned to the callers that waited for that read, and to nobody else;
//   - a caller that gives up ends no read that others wait for.
//
// golang.org/x/sync/singleflight does not fit: it lets a caller join a read that began too early.
package freshread

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// retention is the time after which an answer that nobody asked for is dropped. The claims of a burst, which share the
// most, come within it.
const retention = 10 * time.Second

// Reader shares reads by key. It is safe for concurrent use.
type Reader[K comparable, V any] struct {
	read  func(context.Context, K) (V, error)
	clock clock.PassiveClock

	mutex   sync.Mutex
	entries map[K]*entry[V]
	swept   time.Time
}

// entry is what is known of a key.
type entry[V any] struct {
	latest  *call[V] // the last read that succeeded; nil if there is none
	running *call[V] // nil if none runs
	next    *call[V] // starts when the running one ends; nil if nobody needs it
	used    time.Time
}

// call is one read.
type call[V any] struct {
	ctx   context.Context // of the caller that needed the read first; never cancelled
	begun time.Time
	done  chan struct{} // closed when value and err are set
	value V
	err   error
}

// New returns a Reader of what read returns. No argument may be nil. The context that read gets has the values of a
// caller's context and is never cancelled: read must have limits of its own.
func New[K comparable, V any](
	read func(context.Context, K) (V, error), clk clock.PassiveClock,
) (*Reader[K, V], error) {
	if read == nil || clk == nil {
		return nil, errors.New("fresh reader: a dependency is missing")
	}
	return &Reader[K, V]{read: read, clock: clk, entries: map[K]*entry[V]{}, swept: clk.Now()}, nil
}

// Get returns the answer of a read that began after notBefore: an earlier answer, that of the read that runs, or that
// of a new one. notBefore is a time of the reader's clock in this process; the present gives an answer of a read that
// begins after the call. Callers share the value and must not modify it. If ctx ends first, Get returns its error.
func (r *Reader[K, V]) Get(ctx context.Context, key K, notBefore time.Time) (V, error) {
	c := r.join(ctx, key, notBefore)
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// join returns the oldest read that is fresh enough, and plans one if there is none.
func (r *Reader[K, V]) join(ctx context.Context, key K, notBefore time.Time) *call[V] {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now := r.clock.Now()
	r.sweep(now)
	e := r.entries[key]
	if e == nil {
		e = &entry[V]{}
		r.entries[key] = e
	}
	e.used = now
	switch {
	case e.latest != nil && e.latest.begun.After(notBefore):
		return e.latest
	case e.running != nil && e.running.begun.After(notBefore):
		return e.running
	case e.next == nil:
		e.next = &call[V]{ctx: context.WithoutCancel(ctx), done: make(chan struct{})}
	}
	next := e.next
	if e.running == nil {
		r.start(key, e)
	}
	return next
}

// start starts the next read. The mutex must be held.
func (r *Reader[K, V]) start(key K, e *entry[V]) {
	c := e.next
	c.begun = r.clock.Now()
	e.running, e.next = c, nil
	go func() {
		c.value, c.err = r.read(c.ctx, key)
		r.end(key, e)
		close(c.done)
	}()
}

// end stores the answer of the read that ended, and starts the next one.
func (r *Reader[K, V]) end(key K, e *entry[V]) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if e.running.err == nil {
		e.latest = e.running
	}
	if e.running = nil; e.next != nil {
		r.start(key, e)
	}
}

// sweep drops the answers that nobody asked for lately. The mutex must be held.
func (r *Reader[K, V]) sweep(now time.Time) {
	if now.Sub(r.swept) < retention {
		return
	}
	r.swept = now
	for key, e := range r.entries {
		if e.running == nil && now.Sub(e.used) >= retention {
			delete(r.entries, key)
		}
	}
}
