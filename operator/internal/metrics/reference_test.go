// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
)

// row is a line of a table of the reference: name, type, labels.
var row = regexp.MustCompile("(?m)^\\| `(agent_sandbox\\w+)` \\| (\\w+) \\| (.*?) \\|")

var word = regexp.MustCompile("[a-z_]+")

func TestTheReferenceNamesEachSeriesWithItsTypeAndLabels(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, r := range row.FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, line(r[1], r[2], word.FindAllString(r[3], -1)))
	}
	m, _ := newMetrics(t)
	var is []string
	for _, c := range m.all {
		kind := "gauge"
		switch c.(type) {
		case *prometheus.HistogramVec, prometheus.Histogram:
			kind = "histogram"
		case *prometheus.CounterVec:
			kind = "counter"
		}
		descriptions := make(chan *prometheus.Desc, 10)
		c.Describe(descriptions)
		close(descriptions)
		for d := range descriptions {
			is = append(is, described(t, d, kind))
		}
	}
	slices.Sort(documented)
	slices.Sort(is)
	if diff := cmp.Diff(is, documented); diff != "" {
		t.Errorf("docs/reference/metrics.md (-is +documented):\n%s", diff)
	}
}

func line(name, kind string, labels []string) string {
	slices.Sort(labels)
	return fmt.Sprintf("%s %s %s", name, kind, strings.Join(labels, ","))
}

// described reads a description, which tells what it holds only as text.
func described(t *testing.T, d *prometheus.Desc, kind string) string {
	t.Helper()
	text := d.String()
	parts := regexp.MustCompile(
		`fqName: "(\w+)".*constLabels: \{(.*)\}, variableLabels: \{(.*)\}`).FindStringSubmatch(text)
	if parts == nil {
		t.Fatalf("a description reads %s", text)
	}
	var labels []string
	for _, pair := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(parts[2], -1) {
		labels = append(labels, pair[1])
	}
	return line(parts[1], kind, append(labels, word.FindAllString(parts[3], -1)...))
}
