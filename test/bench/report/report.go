// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package report turns the measurements of scenarios into verdicts, a table, JSON and JUnit. It neither reads a clock
// nor uses a cluster.
package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
)

// Figure names a number that a scenario measures; its unit is the last part.
type Figure string

// The figures. A scenario measures some of them.
const (
	P50           Figure = "p50 ms"
	P90           Figure = "p90 ms"
	P99           Figure = "p99 ms"
	Max           Figure = "max ms"
	AllReady      Figure = "all ready s"
	Fill          Figure = "pool full after s"
	Claims        Figure = "claims"
	Warm          Figure = "warm claims"
	Throughput    Figure = "ready a second"
	Writes        Figure = "API writes per claim"
	Reads         Figure = "API reads per claim"
	Reconciles    Figure = "reconciles per claim"
	CPU           Figure = "operator CPU ms per claim"
	Resident      Figure = "operator RSS MB"
	Peak          Figure = "operator peak RSS MB"
	Idle          Figure = "operator CPU at rest %"
	Members       Figure = "most members of the pool"
	Stale         Figure = "stale members handed out"
	ScrapeTime    Figure = "scrape ms"
	ScrapeSize    Figure = "scrape kB"
	ReconcileCost Figure = "one reconcile ms"
	ClaimCost     Figure = "one claim reconcile ms"
	ScrapeGrowth  Figure = "scrape size, many to few, ratio"
	CostGrowth    Figure = "one reconcile, many to few, ratio"
	ClaimGrowth   Figure = "one claim reconcile, many to few, ratio"
	// ScrapeTimeGrowth is separate from the size, because the time includes the machine's noise.
	ScrapeTimeGrowth Figure = "scrape time, many to few, ratio"
	Rollout          Figure = "last stale member gone after s"
	Fewest           Figure = "fewest ready members of the pool"
	Dry              Figure = "times the pool ran dry"
	Refill           Figure = "pool full after the last claim s"
	// The requests of the operator before the last claim is Ready.
	SandboxPatches Figure = "sandbox patches before the last ready"
	ClaimPatches   Figure = "claim status patches before the last ready"
	OtherRequests  Figure = "other requests before the last ready"
	// The CPU time while the load lasts: from the first request until everything is Ready.
	MachineBusy  Figure = "machine busy %"
	APIServerCPU Figure = "kube-apiserver CPU s"
	EtcdCPU      Figure = "etcd CPU s"
	OperatorCPU  Figure = "operator CPU s"

	Sandboxes         Figure = "sandboxes"
	PerSandbox        Figure = "operator memory per sandbox kB"
	APIServerResident Figure = "kube-apiserver RSS MB"
	StartUp           Figure = "claim ready after the operator's start s"
	Killed            Figure = "claim ready after the leader was killed s"
	Ended             Figure = "claim ready after the leader was asked to end s"
)

// Source is the origin of a limit.
type Source string

// The sources: the project's own budgets, and the thresholds of the reference implementation's load tests.
const (
	Budget Source = "budget"
	Recipe Source = "recipe"
)

// Limit is the maximum of a figure. A missed limit is reported but does not fail the run, because the machine may be
// loaded.
type Limit struct {
	Figure Figure  `json:"figure"`
	Most   float64 `json:"most"`
	Source Source  `json:"source"`
}

// Sample is one run of a scenario.
type Sample struct {
	Figures map[Figure]float64
	// Writes, Reads and Reconciles are the totals of the run by kind.
	Writes, Reads measure.Requests
	Reconciles    map[string]float64
	// BeforeReady are the requests of the operator before the last claim was Ready, if the scenario counts them.
	BeforeReady measure.Requests
	// PassTimes are quantiles of the times of reconciles in milliseconds, if the scenario has them.
	PassTimes map[string]float64
	// Violations are events that must never happen. Any of them fails the run.
	Violations []string
}

// Verdict compares a figure with its limit.
type Verdict struct {
	Limit

	Got float64 `json:"got"`
	Met bool    `json:"met"`
}

// Result combines all runs of a scenario.
type Result struct {
	Scenario   string             `json:"scenario"`
	About      string             `json:"about"`
	Runs       int                `json:"runs"`
	Seconds    float64            `json:"seconds"`
	Figures    map[Figure]float64 `json:"figures"` // medians over the runs
	Writes     map[string]float64 `json:"writesPerClaim,omitempty"`
	Reads      map[string]float64 `json:"readsPerClaim,omitempty"`
	Reconciles map[string]float64 `json:"reconcilesPerClaim,omitempty"`
	// BeforeReady are totals of a run, not of a claim.
	BeforeReady map[string]float64 `json:"requestsBeforeLastReady,omitempty"`
	PassTimes   map[string]float64 `json:"reconcileMilliseconds,omitempty"`
	Verdicts    []Verdict          `json:"verdicts,omitempty"`
	Violations  []string           `json:"violations,omitempty"`
	// Error says why the scenario has no figures.
	Error string `json:"error,omitempty"`
}

// Failed reports whether the scenario has violations or no result. A missed limit is not a failure.
func (r Result) Failed() bool { return r.Error != "" || len(r.Violations) > 0 }

// Merge combines the runs of a scenario into one result with the medians of the figures and all violations.
func Merge(scenario, about string, limits []Limit, samples []Sample) Result {
	result := Result{Scenario: scenario, About: about, Runs: len(samples), Figures: map[Figure]float64{}}
	values := map[Figure][]float64{}
	for i, sample := range samples {
		for figure, value := range sample.Figures {
			values[figure] = append(values[figure], value)
		}
		for _, violation := range sample.Violations {
			if len(samples) > 1 {
				violation = fmt.Sprintf("run %d: %s", i+1, violation)
			}
			result.Violations = append(result.Violations, violation)
		}
	}
	for figure, all := range values {
		result.Figures[figure] = measure.Median(all)
	}
	result.Writes = perClaim(samples, func(s Sample) map[string]float64 { return floats(s.Writes) })
	result.Reads = perClaim(samples, func(s Sample) map[string]float64 { return floats(s.Reads) })
	result.Reconciles = perClaim(samples, func(s Sample) map[string]float64 { return s.Reconciles })
	result.BeforeReady = medians(samples, func(s Sample) map[string]float64 { return floats(s.BeforeReady) })
	result.PassTimes = medians(samples, func(s Sample) map[string]float64 { return s.PassTimes })
	for _, limit := range limits {
		if got, measured := result.Figures[limit.Figure]; measured {
			result.Verdicts = append(result.Verdicts, Verdict{Limit: limit, Got: got, Met: got <= limit.Most})
		}
	}
	return result
}

func floats(requests measure.Requests) map[string]float64 {
	all := make(map[string]float64, len(requests))
	for what, count := range requests {
		all[what] = float64(count)
	}
	return all
}

// perClaim returns the median cost of a claim over the runs that had claims, by kind.
func perClaim(samples []Sample, of func(Sample) map[string]float64) map[string]float64 {
	withClaims := slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.Figures[Claims] <= 0 })
	return medians(withClaims, func(s Sample) map[string]float64 {
		each := maps.Clone(of(s))
		for key := range each {
			each[key] /= s.Figures[Claims]
		}
		return each
	})
}

// medians returns the median over the samples, by kind. A kind that is missing in a sample is zero there.
func medians(samples []Sample, of func(Sample) map[string]float64) map[string]float64 {
	values := map[string][]float64{}
	for i, sample := range samples {
		for key, value := range of(sample) {
			if values[key] == nil {
				values[key] = make([]float64, len(samples))
			}
			values[key][i] = value
		}
	}
	all := make(map[string]float64, len(values))
	for key, each := range values {
		all[key] = measure.Median(each)
	}
	return all
}

// order returns all figures in the order in which they are listed.
func order() []Figure {
	return []Figure{
		P50, P90, P99, Max, AllReady, Fill, Rollout, Claims, Warm, Throughput, Writes, Reads, Reconciles, CPU, Resident, Peak,
		Idle, Members, Fewest, Dry, Refill, Stale, SandboxPatches, ClaimPatches, OtherRequests,
		MachineBusy, APIServerCPU, EtcdCPU, OperatorCPU,
		Sandboxes, PerSandbox, APIServerResident, StartUp, Killed, Ended,
		ScrapeTime, ScrapeSize, ScrapeGrowth, ScrapeTimeGrowth, ReconcileCost, CostGrowth, ClaimCost, ClaimGrowth,
	}
}

// presentFigures returns the figures that have values, in order.
func presentFigures(figures map[Figure]float64) []Figure {
	var all []Figure
	for _, figure := range order() {
		if _, ok := figures[figure]; ok {
			all = append(all, figure)
		}
	}
	return all
}

// keysByValue returns the keys ordered by value, with the largest first.
func keysByValue(values map[string]float64) []string {
	return slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		switch {
		case values[a] > values[b]:
			return -1
		case values[a] < values[b]:
			return 1
		case a < b:
			return -1
		}
		return 1
	})
}
