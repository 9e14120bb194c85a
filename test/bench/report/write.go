// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Machine describes the machine on which the figures were measured.
type Machine struct {
	CPUs       int    `json:"cpus"`
	Model      string `json:"model,omitempty"`
	MemoryGiB  int    `json:"memoryGiB"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
	Kubernetes string `json:"kubernetes"`
	Operator   string `json:"operator"` // version
	Load       string `json:"load"`     // the one-minute load average at the beginning of the run
	Profile    string `json:"profile"`
}

// Report is a whole run.
type Report struct {
	Machine Machine  `json:"machine"`
	Results []Result `json:"results"`
}

// Failed reports whether any scenario failed.
func (r Report) Failed() bool {
	for _, result := range r.Results {
		if result.Failed() {
			return true
		}
	}
	return false
}

// number formats a value with up to three significant digits, and large values without a fraction.
func number(value float64) string {
	switch {
	case value >= 100 || value == float64(int64(value)):
		return fmt.Sprintf("%.0f", value)
	case value >= 10:
		return fmt.Sprintf("%.1f", value)
	default:
		return fmt.Sprintf("%.2f", value)
	}
}

// verdicts formats the verdicts of one source, such as "p50 ms 25 (20): met".
func verdicts(result Result, source Source) string {
	var parts []string
	for _, v := range result.Verdicts {
		if v.Source != source {
			continue
		}
		word := "met"
		if !v.Met {
			word = "NOT MET"
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s): %s", v.Figure, number(v.Most), number(v.Got), word))
	}
	return strings.Join(parts, "; ")
}

// cell returns a figure's value, or a dash if there is none.
func cell(result Result, figure Figure) string {
	if value, ok := result.Figures[figure]; ok {
		return number(value)
	}
	return "-"
}

// WriteTable writes a line for each scenario, and then the details of each.
func (r Report) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	_, _ = fmt.Fprintln(w,
		"SCENARIO\tRUNS\tP50 ms\tP90 ms\tP99 ms\tALL READY s\tWRITES\tRECONCILES\tCPU ms\tRSS MB\tMACHINE %\tRULES")
	for _, result := range r.Results {
		rules := "kept"
		switch {
		case result.Error != "":
			rules = "NO RESULT"
		case len(result.Violations) > 0:
			rules = "BROKEN"
		}
		cells := []string{result.Scenario, strconv.Itoa(result.Runs)}
		for _, figure := range []Figure{P50, P90, P99, AllReady, Writes, Reconciles, CPU, Resident, MachineBusy} {
			cells = append(cells, cell(result, figure))
		}
		_, _ = fmt.Fprintln(w, strings.Join(append(cells, rules), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(out,
		"(writes, reconciles and CPU are the operator's, per claim or sandbox, replenishment included; "+
			"MACHINE is the busy share of all CPUs while the load lasts)")
	for _, result := range r.Results {
		if _, err := fmt.Fprint(out, "\n"+result.detail()); err != nil {
			return err
		}
	}
	return nil
}

// detail returns all figures, verdicts and violations of a scenario.
func (r Result) detail() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s\n", r.Scenario, r.About)
	if r.Error != "" {
		fmt.Fprintf(&out, "  no result: %s\n", r.Error)
	}
	for _, violation := range r.Violations {
		fmt.Fprintf(&out, "  BROKEN: %s\n", violation)
	}
	var figures []string
	for _, figure := range presentFigures(r.Figures) {
		figures = append(figures, fmt.Sprintf("%s %s", figure, number(r.Figures[figure])))
	}
	if len(figures) > 0 {
		fmt.Fprintf(&out, "  %s\n", strings.Join(figures, ", "))
	}
	for _, part := range []struct {
		name   string
		format string
		values map[string]float64
	}{
		{"writes per claim", "%s %.2f", r.Writes}, {"reads per claim", "%s %.2f", r.Reads},
		{"reconciles per claim", "%s %.2f", r.Reconciles}, {"requests before the last ready", "%s %.0f", r.BeforeReady},
		{"reconcile ms", "%s %.1f", r.PassTimes},
	} {
		var items []string
		for _, key := range keysByValue(part.values) {
			items = append(items, fmt.Sprintf(part.format, key, part.values[key]))
		}
		if len(items) > 0 {
			fmt.Fprintf(&out, "  %s: %s\n", part.name, strings.Join(items, ", "))
		}
	}
	for _, source := range []Source{Budget, Recipe} {
		if text := verdicts(r, source); text != "" {
			fmt.Fprintf(&out, "  %s: %s\n", source, text)
		}
	}
	return out.String()
}

// WriteJSON writes the whole report.
func (r Report) WriteJSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes a test case for each scenario. A missed limit is in its output and does not fail the test case.
func (r Report) WriteJUnit(out io.Writer) error {
	suite := junitSuite{Name: "bench", Tests: len(r.Results)}
	total := 0.0
	for _, result := range r.Results {
		total += result.Seconds
		one := junitCase{
			Name: result.Scenario, Class: "bench", Time: fmt.Sprintf("%.3f", result.Seconds), Output: result.detail(),
		}
		if result.Failed() {
			suite.Failures++
			one.Failure = &junitFailure{Message: "a rule was broken", Text: strings.Join(result.Violations, "\n")}
			if result.Error != "" {
				one.Failure = &junitFailure{Message: "no result", Text: result.Error}
			}
		}
		suite.Cases = append(suite.Cases, one)
	}
	suite.Time = fmt.Sprintf("%.3f", total)
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(junitSuites{Tests: suite.Tests, Failures: suite.Failures, Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}
