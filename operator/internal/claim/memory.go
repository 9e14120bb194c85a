// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// memory is what this process knows about claims before any cache shows it. It is lost in a restart; restart.go says
// what replaces it. Safe for concurrent use.
type memory struct {
	mu     sync.Mutex
	claims map[types.UID]remembered
}

type remembered struct {
	firstObserved time.Time // zero once the claim's annotation has it
	arrived       time.Time // of the last event that no reconcile has taken up
	// adopting is the member that this process made the claim's Sandbox, or tried to without an answer.
	adopting string
	listed   bool // the API server was asked for the claim's Sandboxes, see restart.go
}

func newMemory() *memory { return &memory{claims: map[types.UID]remembered{}} }

// FirstObserved returns when the claim was observed for the first time: now, if nothing is known.
func (m *memory) FirstObserved(claim types.UID, now time.Time) (at time.Time) {
	m.update(claim, func(r *remembered) {
		if r.firstObserved.IsZero() {
			r.firstObserved = now
		}
		at = r.firstObserved
	})
	return at
}

// RecordArrival remembers the time of an event that enqueues the claim.
func (m *memory) RecordArrival(claim types.UID, now time.Time) {
	m.update(claim, func(r *remembered) { r.arrived = now })
}

// TakeArrival returns the time of the event that caused a reconcile, once: now, if nothing is known.
func (m *memory) TakeArrival(claim types.UID, now time.Time) (at time.Time) {
	m.update(claim, func(r *remembered) {
		if at = r.arrived; at.IsZero() {
			at = now
		}
		r.arrived = time.Time{}
	})
	return at
}

// FirstObservedRecorded drops the time, because the claim's annotation has it.
func (m *memory) FirstObservedRecorded(claim types.UID) {
	m.update(claim, func(r *remembered) { r.firstObserved = time.Time{} })
}

// Adopting returns the member that the claim adopted or tries to adopt, and that no cache shows yet; empty if there is
// none.
func (m *memory) Adopting(claim types.UID) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.claims[claim].adopting
}

// ExpectAdoption remembers the member before it is written.
func (m *memory) ExpectAdoption(claim types.UID, member string) {
	m.update(claim, func(r *remembered) { r.adopting = member })
}

// AdoptionObserved drops a member that the cache shows as the claim's.
func (m *memory) AdoptionObserved(claim types.UID, member string) {
	m.update(claim, func(r *remembered) {
		if r.adopting == member {
			r.adopting = ""
		}
	})
}

// AdoptionFailed drops a member that the claim cannot adopt.
func (m *memory) AdoptionFailed(claim types.UID) {
	m.update(claim, func(r *remembered) { r.adopting = "" })
}

// Listed reports whether the API server was asked for the claim's Sandboxes.
func (m *memory) Listed(claim types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.claims[claim].listed
}

// RecordListed remembers that the API server was asked for the claim's Sandboxes.
func (m *memory) RecordListed(claim types.UID) {
	m.update(claim, func(r *remembered) { r.listed = true })
}

// Forget drops everything about a claim that was deleted.
func (m *memory) Forget(claim types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.claims, claim)
}

// update changes what is known about a claim. A claim about which nothing is known uses no memory.
func (m *memory) update(claim types.UID, change func(*remembered)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.claims[claim]
	if change(&r); r == (remembered{}) {
		delete(m.claims, claim)
		return
	}
	m.claims[claim] = r
}
