// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gathered reads metrics in tests as a scrape does.
package gathered

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Of adds up the series with the name and the labels. It returns the value of counters plus the number of observations
// of histograms, and the sum of the observations.
func Of(t testing.TB, from prometheus.Collector, name string, labels map[string]string) (count int, sum float64) {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(from)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			match := 0
			for _, pair := range metric.GetLabel() {
				if want, found := labels[pair.GetName()]; found && want == pair.GetValue() {
					match++
				}
			}
			if match == len(labels) {
				count += int(metric.GetCounter().GetValue()) + int(metric.GetHistogram().GetSampleCount())
				sum += metric.GetHistogram().GetSampleSum()
			}
		}
	}
	return count, sum
}
