// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

func TestOnlyWhatWasAskedForAfterTheChangeIsStale(t *testing.T) {
	changed := time.Unix(1700000000, 0)
	before, after := changed.Add(-time.Millisecond), changed.Add(time.Millisecond)
	tests := map[string]struct {
		got  ledger.Handover
		want bool
	}{
		"an old member for an earlier claim": {ledger.Handover{Created: before, Variant: world.FirstVariant}, false},
		"an old member for a later claim":    {ledger.Handover{Created: after, Variant: world.FirstVariant}, true},
		"a new member for a later claim":     {ledger.Handover{Created: after, Variant: world.SecondVariant}, false},
		"asked for in the same instant":      {ledger.Handover{Created: changed, Variant: world.FirstVariant}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := len(staleAfter([]ledger.Handover{tt.got}, changed)) == 1; got != tt.want {
				t.Errorf("stale: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestRecreateLeavesNothingStale(t *testing.T) {
	if got := staleViolations(nil, ledger.Pool{}); len(got) != 0 {
		t.Errorf("violations: %q", got)
	}
	if got := staleViolations([]ledger.Handover{{Claim: "c"}}, ledger.Pool{Stale: 1}); len(got) != 2 {
		t.Errorf("violations: %q", got)
	}
}

func TestScenariosHaveNamesOfTheirOwnAndTheBudgets(t *testing.T) {
	limits := map[report.Limit]bool{}
	var names []string
	for _, one := range All(Full()) {
		if slices.Contains(names, one.Name) || one.About == "" || one.Run == nil {
			t.Errorf("%q is there twice, or says nothing, or does nothing", one.Name)
		}
		names = append(names, one.Name)
		for _, limit := range one.Limits {
			limits[limit] = true
		}
	}
	for _, want := range []report.Limit{
		{Figure: report.Writes, Most: 7, Source: report.Budget}, {Figure: report.Reconciles, Most: 8, Source: report.Budget},
		{Figure: report.P50, Most: 30, Source: report.Budget}, {Figure: report.P99, Most: 110, Source: report.Budget},
		{Figure: report.AllReady, Most: 2.8, Source: report.Budget}, {Figure: report.P50, Most: 1400, Source: report.Budget},
		{Figure: report.SandboxPatches, Most: 300, Source: report.Budget},
		{Figure: report.ClaimPatches, Most: 300, Source: report.Budget},
		{Figure: report.OtherRequests, Most: 30, Source: report.Budget},
		{Figure: report.Fill, Most: 4.5, Source: report.Budget}, {Figure: report.Resident, Most: 200, Source: report.Budget},
		{Figure: report.P50, Most: 1000, Source: report.Recipe}, {Figure: report.P99, Most: 5000, Source: report.Recipe},
	} {
		if !limits[want] {
			t.Errorf("no scenario has the limit %+v", want)
		}
	}
}

func TestSteadyScenariosHaveTheirBudgets(t *testing.T) {
	want := map[string][]report.Limit{
		"sustained-10": {
			budget(report.P50, 25), budget(report.P99, 60), budget(report.Dry, 0), budget(report.Refill, 5),
			budget(report.Writes, 7), budget(report.Reconciles, 8),
		},
		"sustained-2": {budget(report.P50, 20), budget(report.Writes, 7), budget(report.Reconciles, 8)},
	}
	for _, one := range All(Full()) {
		if limits, ok := want[one.Name]; ok {
			delete(want, one.Name)
			if !slices.Equal(one.Limits, limits) {
				t.Errorf("%s has the limits %v, want %v", one.Name, one.Limits, limits)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", slices.Collect(maps.Keys(want)))
	}
	for i, about := range []string{"600 claims, 10 a second for 60 s,", "120 claims, 2 a second for 60 s,"} {
		if got := steady(Full())[i].About; !strings.HasPrefix(got, about) {
			t.Errorf("%q does not begin with %q", got, about)
		}
	}
}

func TestSupplyIsMeasuredFromTheLastClaim(t *testing.T) {
	last := time.Unix(1700000000, 0)
	tests := map[string]struct {
		pool ledger.Pool
		want map[report.Figure]float64
	}{
		"a pool that kept up": {
			ledger.Pool{Fewest: 290, FullAt: last.Add(1500 * time.Millisecond)},
			map[report.Figure]float64{report.Fewest: 290, report.Dry: 0, report.Refill: 1.5},
		},
		"a pool that ran dry twice": {
			ledger.Pool{Fewest: 0, Dry: 2, FullAt: last.Add(9 * time.Second)},
			map[report.Figure]float64{report.Fewest: 0, report.Dry: 2, report.Refill: 9},
		},
		"a pool that the last claim did not use": {
			ledger.Pool{Fewest: 3, FullAt: last.Add(-time.Second)},
			map[report.Figure]float64{report.Fewest: 3, report.Dry: 0, report.Refill: 0},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := supplyFigures(tt.pool, last); !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestRequestsThatAClaimDoesNotNeedAreOthers(t *testing.T) {
	got := requestFigures(measure.Requests{
		"patch sandboxes": 300, "patch sandboxclaims/status": 301, "patch sandboxes 409": 2, "create events": 3,
		"patch sandboxes/status": 4, "patch sandboxclaims": 5,
	})
	want := map[report.Figure]float64{report.SandboxPatches: 300, report.ClaimPatches: 301, report.OtherRequests: 14}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLongScenariosRunOnRequestOnly(t *testing.T) {
	all := []Scenario{{Name: "burst"}, {Name: "scale", OnRequest: true}, {Name: "sustained"}}
	tests := map[string]struct {
		pattern string
		want    []string
	}{
		"nothing is asked for":        {"", []string{"burst", "sustained"}},
		"a long one is asked for":     {"scale", []string{"scale"}},
		"together with another one":   {"burst|scale", []string{"burst", "scale"}},
		"others are asked for":        {"^sus", []string{"sustained"}},
		"a pattern matches all names": {".", []string{"burst", "scale", "sustained"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, one := range Select(all, regexp.MustCompile(tt.pattern)) {
				got = append(got, one.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	onRequest := slices.DeleteFunc(All(Full()), func(one Scenario) bool { return !one.OnRequest })
	if len(onRequest) != 1 || onRequest[0].Name != "scale" {
		t.Errorf("on request only are %v", onRequest)
	}
}

func TestTheFleetHasItsSize(t *testing.T) {
	if got := Full().Fleet; got.Namespaces != 100 || got.Namespaces*got.Pools != 200 || got.sandboxes() != 20000 {
		t.Errorf("%d namespaces, %d pools in each, %d Sandboxes", got.Namespaces, got.Pools, got.sandboxes())
	}
}

func TestTimesOfReconcilesAreQuantilesInMilliseconds(t *testing.T) {
	got := passTimes(map[string]measure.Buckets{"sandbox": {0.01: 100, 0.02: 100, math.Inf(1): 100}})
	want := map[string]float64{"sandbox p50": 5, "sandbox p99": 9.9}
	for key, value := range want {
		if math.Abs(got[key]-value) > 1e-9 || len(got) != len(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestASmallProfileHasTheSameScenarios(t *testing.T) {
	names := func(s Scale) []string {
		var all []string
		for _, one := range All(s) {
			all = append(all, one.Name)
		}
		return all
	}
	if full, small := names(Full()), names(Small()); !slices.Equal(full, small) {
		t.Errorf("full has %v, small %v", full, small)
	}
}
