// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Pool counts the Sandboxes that a pool controls.
type Pool struct {
	Limit   int // the maximum of Members; zero means no limit
	Members int
	Ready   int
	Most    int       // the largest number of members at the same time
	Fewest  int       // the smallest number of Ready members since TrackFewest
	Dry     int       // how often the last Ready member left since TrackFewest
	Lost    int       // members that were deleted and not handed out
	Stale   int       // members of another variant than the expected one
	FullAt  time.Time // when the pool last became full: as many Ready members as the limit allows
	FreshAt time.Time // when the last stale member left
	want    string
	full    bool
	dry     bool
	tracked bool
}

// SetLimit sets the maximum number of members of a pool from now on.
func (l *Ledger) SetLimit(pool types.UID, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pool(pool).Limit = most
}

// ExpectVariant sets the variant that members should have from now on. Pool.Stale counts the other members.
func (l *Ledger) ExpectVariant(pool types.UID, variant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pool(pool)
	p.want, p.Stale = variant, 0
	for _, s := range l.sandboxes {
		if s.pool == pool && s.variant != variant {
			p.Stale++
		}
	}
}

// TrackFewest starts Pool.Fewest and Pool.Dry anew, from the present number of Ready members.
func (l *Ledger) TrackFewest(pool types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pool(pool)
	p.tracked, p.Fewest, p.Dry, p.dry = true, p.Ready, 0, p.Ready == 0
}

func (l *Ledger) pool(uid types.UID) *Pool {
	p := l.pools[uid]
	if p == nil {
		p = &Pool{}
		l.pools[uid] = p
	}
	return p
}

// count adds a Sandbox to the counts of its pool, or takes it out. An event of a member does both, so the counts in
// between say nothing; settle draws the conclusions.
func (l *Ledger) count(s *sandbox, by int, at time.Time) {
	if s == nil || s.pool == "" {
		return
	}
	p := l.pool(s.pool)
	p.Members += by
	if s.ready {
		p.Ready += by
	}
	if p.want != "" && s.variant != p.want {
		p.Stale += by
		if p.Stale == 0 {
			p.FreshAt = at
		}
	}
	p.Most = max(p.Most, p.Members)
	if p.Limit > 0 && by > 0 && p.Members > p.Limit {
		l.addViolation("a pool of %d has %d members", p.Limit, p.Members)
	}
}

// settle records whether the pool of a Sandbox is full or dry after an event.
func (l *Ledger) settle(s *sandbox, at time.Time) {
	if s == nil || s.pool == "" {
		return
	}
	p := l.pool(s.pool)
	full := p.Limit > 0 && p.Ready == p.Limit
	if full && !p.full {
		p.FullAt = at
	}
	p.full = full
	if !p.tracked {
		return
	}
	p.Fewest = min(p.Fewest, p.Ready)
	dry := p.Ready == 0
	if dry && !p.dry {
		p.Dry++
	}
	p.dry = dry
}

// Pool returns the counts of a pool.
func (l *Ledger) Pool(uid types.UID) Pool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.pool(uid)
}
