// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// Samples is the number of points in the sparkline of ready members, sampleEvery their distance.
	Samples     = 10
	sampleEvery = 12 * time.Second
	// Minutes is the number of minutes in the sparkline of claims.
	Minutes = 10
)

// history keeps earlier numbers, which the API does not provide.
type history struct {
	ready   map[types.UID][]int
	sampled time.Time
	// claims counts the claims of each pool by the minute of their creation; counted has the UIDs of the counted claims.
	claims  map[key]map[int64]int
	counted map[types.UID]struct{}
}

func newHistory() history {
	return history{ready: map[types.UID][]int{}, claims: map[key]map[int64]int{}, counted: map[types.UID]struct{}{}}
}

func minuteOf(t time.Time) int64 { return t.Unix() / 60 }

// countClaim counts a claim once, for each of the pools.
func (h *history) countClaim(uid types.UID, created, now time.Time, pools ...key) {
	if _, done := h.counted[uid]; done || len(pools) == 0 {
		return
	}
	h.counted[uid] = struct{}{}
	minute := minuteOf(created)
	if minute <= minuteOf(now)-Minutes {
		return
	}
	for _, pool := range pools {
		if h.claims[pool] == nil {
			h.claims[pool] = map[int64]int{}
		}
		h.claims[pool][minute]++
	}
}

// forgetClaim drops the claim's UID; the count of its minute stays.
func (h *history) forgetClaim(uid types.UID) { delete(h.counted, uid) }

// perMinute returns the claims of the latest minutes, the oldest first.
func (h *history) perMinute(pool key, now time.Time) []int {
	counts, last := make([]int, Minutes), minuteOf(now)
	for minute, count := range h.claims[pool] {
		switch at := minute - last + Minutes - 1; {
		case at < 0:
			delete(h.claims[pool], minute)
		case at < Minutes:
			counts[at] = count
		}
	}
	return counts
}

// sampleDue reports whether it is time for a sample, and records the sample as taken.
func (h *history) sampleDue(now time.Time) bool {
	if now.Sub(h.sampled) < sampleEvery {
		return false
	}
	h.sampled = now
	return true
}

// sample adds a number of ready members. It allocates a new slice each time, because snapshots share the old one.
func (h *history) sample(pool types.UID, ready int) {
	old := h.ready[pool]
	h.ready[pool] = append(append(make([]int, 0, Samples), old[max(0, len(old)-Samples+1):]...), ready)
}

// retain drops the pools that are not in uids.
func (h *history) retain(uids map[types.UID]struct{}) {
	for uid := range h.ready {
		if _, has := uids[uid]; !has {
			delete(h.ready, uid)
		}
	}
}
