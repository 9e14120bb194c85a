// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"maps"
	"math"
	"slices"
)

// Buckets are the cumulative counts of a Prometheus histogram by upper bound.
type Buckets map[float64]float64

// Buckets adds up the buckets of a histogram by the values of one label.
func (s Scrape) Buckets(name, label string) map[string]Buckets {
	all := map[string]Buckets{}
	for _, metric := range s[name].GetMetric() {
		for _, pair := range metric.GetLabel() {
			if pair.GetName() != label {
				continue
			}
			into := all[pair.GetValue()]
			if into == nil {
				into = Buckets{}
				all[pair.GetValue()] = into
			}
			for _, bucket := range metric.GetHistogram().GetBucket() {
				into[bucket.GetUpperBound()] += float64(bucket.GetCumulativeCount())
			}
		}
	}
	return all
}

// Since returns what was observed since an earlier reading, which may be nil.
func (b Buckets) Since(before Buckets) Buckets {
	added := maps.Clone(b)
	for bound := range added {
		added[bound] -= before[bound]
	}
	return added
}

// Count returns the number of observations.
func (b Buckets) Count() float64 {
	most := 0.0
	for _, count := range b {
		most = max(most, count)
	}
	return most
}

// Quantile estimates the q-quantile as Prometheus' histogram_quantile does: with the observations of a bucket at equal
// distances, and with the last finite bound for those above it. It is zero without observations.
func (b Buckets) Quantile(q float64) float64 {
	rank := q * b.Count()
	if rank <= 0 {
		return 0
	}
	lower, below := 0.0, 0.0
	for _, upper := range slices.Sorted(maps.Keys(b)) {
		count := b[upper]
		if count >= rank {
			if math.IsInf(upper, 1) {
				return lower
			}
			return lower + (upper-lower)*(rank-below)/(count-below)
		}
		lower, below = upper, count
	}
	return lower
}
