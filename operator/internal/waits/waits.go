// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package waits names how long the operator waits before it looks at an object again.
package waits

import "time"

const (
	// Rejected is the wait after the API server answers "invalid". A change of the object triggers a reconcile sooner, but an
	// admission policy answers with the same code, and may allow later what it denies now.
	Rejected = time.Minute
	// Blocked is the wait for another owner's object to disappear. Objects of other owners are not watched.
	Blocked = 15 * time.Second
	// ShortestBackoff and LongestBackoff bound the exponential backoff after errors. LongestBackoff is also the longest time
	// by which an object that fails can miss a deadline.
	ShortestBackoff, LongestBackoff = 50 * time.Millisecond, 30 * time.Second
	// Resync is the period after which every object is reconciled even without an event. The operator's own status writes
	// trigger no reconcile, so a forged status does not either: it is corrected at the next event, or at the resync.
	Resync = time.Hour
)

// Sooner returns the shorter of two delays. Zero or less means no delay.
func Sooner(a, b time.Duration) time.Duration {
	if a <= 0 || (b > 0 && b < a) {
		return max(0, b)
	}
	return a
}
