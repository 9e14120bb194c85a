// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package liveness judges whether the other end of a connection is there, by what comes from it.
//
// Invariants:
//   - time in which nobody takes what a connection brings is no silence;
//   - a machine that slept has not listened meanwhile.
package liveness

import (
	"sync/atomic"
	"time"
)

// IdleTimer measures for how long a connection that is read has brought nothing. All but Look may be called by any goroutine.
type IdleTimer struct {
	reading   atomic.Bool // somebody waits for what it brings
	active    atomic.Bool // it has brought something since the last look
	idle      time.Duration
	lastCheck time.Time
}

// SetReading says whether somebody waits for what the connection brings.
func (s *IdleTimer) SetReading(now bool) { s.reading.Store(now) }

// Reset notes that something came.
func (s *IdleTimer) Reset() { s.active.Store(true) }

// Check is called once each period, and says for how long nothing has come.
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
