// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
)

func sample(p50, claims float64, writes int, violations ...string) Sample {
	return Sample{
		Figures: map[Figure]float64{P50: p50, Claims: claims},
		Writes:  measure.Requests{"create pods": writes}, Violations: violations,
	}
}

func TestMergeTakesMediansAndKeepsEveryViolation(t *testing.T) {
	limits := []Limit{{P50, 20, Budget}, {P99, 1, Budget}}
	got := Merge("burst", "about", limits, []Sample{
		sample(30, 10, 20), sample(10, 10, 40, "two owners"), sample(20, 10, 30),
	})
	if !maps.Equal(got.Figures, map[Figure]float64{P50: 20, Claims: 10}) {
		t.Errorf("figures are %v", got.Figures)
	}
	if !maps.Equal(got.Writes, map[string]float64{"create pods": 3}) {
		t.Errorf("writes per claim are %v", got.Writes)
	}
	if !slices.Equal(got.Violations, []string{"run 2: two owners"}) || !got.Failed() {
		t.Errorf("violations are %v", got.Violations)
	}
	// A limit on what was not measured has no verdict.
	if want := []Verdict{{Limit: limits[0], Got: 20, Met: true}}; !slices.Equal(got.Verdicts, want) {
		t.Errorf("verdicts are %v, want %v", got.Verdicts, want)
	}
}

func TestRequestsBeforeTheLastReadyAreTotalsOfARun(t *testing.T) {
	run := func(patches, pods int) Sample {
		one := sample(1, 10, 0)
		one.BeforeReady = measure.Requests{"patch sandboxes": patches}
		if pods > 0 {
			one.BeforeReady["create pods"] = pods
		}
		return one
	}
	got := Merge("burst", "about", nil, []Sample{run(300, 0), run(302, 7), run(301, 0)})
	if want := map[string]float64{"patch sandboxes": 301, "create pods": 0}; !maps.Equal(got.BeforeReady, want) {
		t.Errorf("got %v, want %v", got.BeforeReady, want)
	}
	if text := got.detail(); !strings.Contains(text, "requests before the last ready: patch sandboxes 301") {
		t.Errorf("not in the table's details:\n%s", text)
	}
}

func TestTimesOfReconcilesAreInTheTableAndAreMedians(t *testing.T) {
	run := func(ms float64) Sample {
		one := sample(1, 10, 0)
		one.PassTimes = map[string]float64{"sandboxclaim p99": ms}
		return one
	}
	got := Merge("scale", "about", nil, []Sample{run(40), run(20), run(30)})
	if text := got.detail(); !strings.Contains(text, "reconcile ms: sandboxclaim p99 30.0") {
		t.Errorf("not in the table's details:\n%s", text)
	}
}

func TestARunWithoutClaimsHasNoCostOfAClaim(t *testing.T) {
	got := Merge("s", "", nil, []Sample{sample(1, 0, 50), sample(1, 10, 20), sample(1, 10, 40)})
	if want := map[string]float64{"create pods": 3}; !maps.Equal(got.Writes, want) {
		t.Errorf("got %v, want %v", got.Writes, want)
	}
}

func TestEveryFigureIsListedOnce(t *testing.T) {
	seen := map[Figure]bool{}
	for _, figure := range order() {
		if seen[figure] {
			t.Errorf("%s is listed twice", figure)
		}
		seen[figure] = true
	}
	for _, figure := range []Figure{
		Fewest, Dry, Refill, OtherRequests, MachineBusy, APIServerCPU, EtcdCPU, OperatorCPU,
		Sandboxes, PerSandbox, APIServerResident, StartUp, Killed, Ended,
	} {
		if !seen[figure] {
			t.Errorf("%s is not listed", figure)
		}
	}
}

func TestVerdicts(t *testing.T) {
	tests := map[string]struct {
		got  float64
		met  bool
		fail bool
	}{
		"below":         {19, true, false},
		"exactly":       {20, true, false},
		"above is told": {21, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			result := Merge("s", "", []Limit{{P50, 20, Recipe}}, []Sample{sample(tt.got, 1, 0)})
			if result.Verdicts[0].Met != tt.met || result.Failed() != tt.fail {
				t.Errorf("%+v, failed %v", result.Verdicts, result.Failed())
			}
		})
	}
}

func TestWithoutARunThereAreNoFigures(t *testing.T) {
	got := Merge("s", "", []Limit{{P50, 20, Budget}}, nil)
	if len(got.Figures)+len(got.Verdicts)+len(got.Writes) != 0 {
		t.Errorf("got %+v", got)
	}
}

func example() Report {
	good := Merge("warm", "claims on a pool", []Limit{{P50, 25, Budget}, {P50, 5, Recipe}}, []Sample{sample(20, 10, 80)})
	good.Seconds = 1.5
	broken := Merge("burst", "more", nil, []Sample{sample(1, 1, 1, "a pool of 2 has 3 members")})
	missing := Result{Scenario: "idle", Error: "timed out"}
	return Report{Machine: Machine{CPUs: 2}, Results: []Result{good, broken, missing}}
}

func TestTheTableHasFiguresVerdictsAndBrokenRules(t *testing.T) {
	var out bytes.Buffer
	if err := example().WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"MACHINE %", "budget: p50 ms 25 (20): met", "recipe: p50 ms 5 (20): NOT MET", "writes per claim: create pods 8.00",
		"BROKEN: a pool of 2 has 3 members", "no result: timed out", "NO RESULT",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
	if !example().Failed() {
		t.Error("a broken rule did not fail the run")
	}
	if (Report{Results: example().Results[:1]}).Failed() {
		t.Error("a missed limit failed the run")
	}
}

func TestJSONHasWhatTheTableHas(t *testing.T) {
	var out bytes.Buffer
	if err := example().WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Results) != 3 || got.Results[0].Figures[P50] != 20 || !got.Results[0].Verdicts[0].Met ||
		got.Results[2].Error != "timed out" {
		t.Errorf("got %+v", got)
	}
}

func TestJUnitFailsBrokenRulesAndNotMissedLimits(t *testing.T) {
	var out bytes.Buffer
	if err := example().WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 3 || got.Failures != 2 || len(got.Suite.Cases) != 3 {
		t.Fatalf("got %+v", got)
	}
	for i, fails := range []bool{false, true, true} {
		if one := got.Suite.Cases[i]; (one.Failure != nil) != fails {
			t.Errorf("%s: failure is %v", one.Name, one.Failure)
		}
	}
}

func TestNumbers(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 3: "3", 3.14159: "3.14", 31.4159: "31.4", 314.159: "314"} {
		if got := number(value); got != want {
			t.Errorf("%v is shown as %s, want %s", value, got, want)
		}
	}
}
