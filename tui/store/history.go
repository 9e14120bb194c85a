// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// samples is how many numbers of ready members a sparkline has, sampleEvery how far apart they are.
	samples     = 24
	sampleEvery = 5 * time.Second
	// minutes is how many minutes of claims a sparkline has.
	minutes = 12
)

// history remembers what the API does not: how the numbers were before.
type history struct {
	ready   map[types.UID][]int
	sampled time.Time
	// claims counts, for each pool, the claims by the minute of their creation; counted are the claims in it.
	claims  map[key]map[int64]int
	counted map[types.UID]struct{}
}

func newHistory() history {
	return history{ready: map[types.UID][]int{}, claims: map[key]map[int64]int{}, counted: map[types.UID]struct{}{}}
}

func minuteOf(t time.Time) int64 { return t.Unix() / 60 }

// claim counts a claim once for the pools that it is to be counted for.
func (h *history) claim(uid types.UID, created, now time.Time, pools ...key) {
	if _, done := h.counted[uid]; done || len(pools) == 0 {
		return
	}
	h.counted[uid] = struct{}{}
	minute := minuteOf(created)
	if minute <= minuteOf(now)-minutes {
		return
	}
	for _, pool := range pools {
		if h.claims[pool] == nil {
			h.claims[pool] = map[int64]int{}
		}
		h.claims[pool][minute]++
	}
}

// forget lets the claim's UID go; its minute stays counted.
func (h *history) forget(uid types.UID) { delete(h.counted, uid) }

// perMinute returns the claims of the latest minutes, the oldest first.
func (h *history) perMinute(pool key, now time.Time) []int {
	counts, last := make([]int, minutes), minuteOf(now)
	for minute, count := range h.claims[pool] {
		switch at := minute - last + minutes - 1; {
		case at < 0:
			delete(h.claims[pool], minute)
		case at < minutes:
			counts[at] = count
		}
	}
	return counts
}

// due says whether it is time for a sample, and counts it as taken.
func (h *history) due(now time.Time) bool {
	if now.Sub(h.sampled) < sampleEvery {
		return false
	}
	h.sampled = now
	return true
}

// sample adds a number of ready members. The slices that it hands out are never written to again.
func (h *history) sample(pool types.UID, ready int) {
	old := h.ready[pool]
	h.ready[pool] = append(append(make([]int, 0, samples), old[max(0, len(old)-samples+1):]...), ready)
}

// keep forgets the pools that are gone.
func (h *history) keep(uids map[types.UID]struct{}) {
	for uid := range h.ready {
		if _, has := uids[uid]; !has {
			delete(h.ready, uid)
		}
	}
}
