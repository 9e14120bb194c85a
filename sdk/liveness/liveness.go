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

// Silence measures for how long a connection that is read has brought nothing. All but Look may be called by any goroutine.
type Silence struct {
	reading atomic.Bool // somebody waits for what it brings
	heard   atomic.Bool // it has brought something since the last look
	quiet   time.Duration
	looked  time.Time
}

// Reading says whether somebody waits for what the connection brings.
func (s *Silence) Reading(now bool) { s.reading.Store(now) }

// Heard notes that something came.
func (s *Silence) Heard() { s.heard.Store(true) }

// Look is called once each period, and says for how long nothing has come.
func (s *Silence) Look(now time.Time, period time.Duration) time.Duration {
	elapsed := min(now.Sub(s.looked), 2*period)
	first := s.looked.IsZero()
	s.looked = now
	if s.heard.Swap(false) || !s.reading.Load() || first {
		s.quiet = 0
	} else {
		s.quiet += elapsed
	}
	return s.quiet
}
