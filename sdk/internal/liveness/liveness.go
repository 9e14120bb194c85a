// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package liveness decides whether the other end of a connection is alive, by the data that arrives.
//
// Invariants:
//   - time in which the caller does not read does not count as idle;
//   - time in which this machine was suspended does not count either.
package liveness

import (
	"sync/atomic"
	"time"
)

// IdleTimer measures how long a connection that is being read has received nothing. All methods except Check may be
// called concurrently.
type IdleTimer struct {
	reading   atomic.Bool // a read is waiting
	active    atomic.Bool // something was received since the last check
	idle      time.Duration
	lastCheck time.Time
}

// SetReading records whether a read is waiting.
func (s *IdleTimer) SetReading(now bool) { s.reading.Store(now) }

// Reset records that something was received.
func (s *IdleTimer) Reset() { s.active.Store(true) }

// Check is called once per period and returns how long nothing was received.
func (s *IdleTimer) Check(now time.Time, period time.Duration) time.Duration {
	elapsed := min(now.Sub(s.lastCheck), 2*period)
	first := s.lastCheck.IsZero()
	s.lastCheck = now
	if s.active.Swap(false) || !s.reading.Load() || first {
		s.idle = 0
	} else {
		s.idle += elapsed
	}
	return s.idle
}
