// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"slices"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
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
		{Figure: report.Writes, Most: 10, Source: report.Budget}, {Figure: report.Reconciles, Most: 8, Source: report.Budget},
		{Figure: report.P50, Most: 25, Source: report.Budget}, {Figure: report.P99, Most: 80, Source: report.Budget},
		{Figure: report.AllReady, Most: 2, Source: report.Budget}, {Figure: report.P50, Most: 900, Source: report.Budget},
		{Figure: report.Fill, Most: 6, Source: report.Budget}, {Figure: report.Resident, Most: 250, Source: report.Budget},
		{Figure: report.P50, Most: 1000, Source: report.Recipe}, {Figure: report.P99, Most: 5000, Source: report.Recipe},
	} {
		if !limits[want] {
			t.Errorf("no scenario has the limit %+v", want)
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
