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

// Scrape is one answer of a metrics endpoint.
type Scrape map[string]*dto.MetricFamily

// ReadScrape parses the text format.
func ReadScrape(r io.Reader) (Scrape, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return families, nil
}

// By sums a counter, or the observations of a histogram, by the values of one label.
func (s Scrape) By(name, label string) map[string]float64 {
	sums := map[string]float64{}
	for _, metric := range s[name].GetMetric() {
		for _, pair := range metric.GetLabel() {
			if pair.GetName() == label {
				sums[pair.GetValue()] += metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	return sums
}

// SumBy adds up what a histogram observed, by the values of one label.
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

// Since is what was added to sums after before; what did not change is left out.
func Since(before, after map[string]float64) map[string]float64 {
	added := map[string]float64{}
	for key, value := range after {
		if value -= before[key]; value != 0 {
			added[key] = value
		}
	}
	return added
}
