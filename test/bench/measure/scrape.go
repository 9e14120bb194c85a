// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"fmt"
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Scrape is one response of a metrics endpoint.
type Scrape map[string]*dto.MetricFamily

// ReadScrape parses the Prometheus text format.
func ReadScrape(r io.Reader) (Scrape, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return families, nil
}

// By sums a counter, a gauge, or the number of a histogram's observations, by the values of one label.
func (s Scrape) By(name, label string) map[string]float64 {
	sums := map[string]float64{}
	for _, metric := range s[name].GetMetric() {
		for _, pair := range metric.GetLabel() {
			if pair.GetName() == label {
				sums[pair.GetValue()] += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() +
					float64(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	return sums
}

// SumBy adds up the observed values of a histogram by the values of one label.
func (s Scrape) SumBy(name, label string) map[string]float64 {
	sums := map[string]float64{}
	for _, metric := range s[name].GetMetric() {
		for _, pair := range metric.GetLabel() {
			if pair.GetName() == label {
				sums[pair.GetValue()] += metric.GetHistogram().GetSampleSum()
			}
		}
	}
	return sums
}

// Since returns the differences between two sets of sums. It leaves out sums that did not change.
func Since(before, after map[string]float64) map[string]float64 {
	added := map[string]float64{}
	for key, value := range after {
		if value -= before[key]; value != 0 {
			added[key] = value
		}
	}
	return added
}
