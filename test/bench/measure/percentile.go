// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package measure turns observations into numbers: percentiles, the resource usage of a process, Prometheus counters,
// an audit log.
package measure

import (
	"math"
	"slices"
	"time"
)

// Summary describes the distribution of durations.
type Summary struct {
	Count              int
	P50, P90, P99, Max time.Duration
}

// Summarize returns the distribution of the durations. It does not change its argument.
func Summarize(all []time.Duration) Summary {
	if len(all) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(all))
	return Summary{
		Count: len(sorted), P50: percentile(sorted, 50), P90: percentile(sorted, 90), P99: percentile(sorted, 99),
		Max: sorted[len(sorted)-1],
	}
}

// percentile returns the smallest measured value that p percent of all values do not exceed (nearest rank).
func percentile(sorted []time.Duration, p float64) time.Duration {
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

// Median returns the middle value, the mean of the two middle values, or zero if there are no values.
func Median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
