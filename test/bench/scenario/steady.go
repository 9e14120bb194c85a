// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"maps"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

// steady returns the scenarios of rates at which the machine has room to spare: whether the pool keeps up, and how long
// a claim waits if little else happens.
func steady(s Scale) []Scenario {
	at := func(rate float64, limits ...report.Limit) Scenario {
		count := int(rate * s.Steady.Seconds())
		return Scenario{
			Name:   fmt.Sprintf("sustained-%.0f", rate),
			About:  fmt.Sprintf("%d claims, %.0f a second for %.0f s, on a pool of %d", count, rate, s.Steady.Seconds(), s.Pool),
			Limits: append(limits, perClaim()...),
			Run:    claimsOnPool(s.Pool, load.Constant(rate, count), addSupply),
		}
	}
	slow := at(2, budget(report.P50, 20))
	slow.Once = true
	return []Scenario{
		at(10, budget(report.P50, 25), budget(report.P99, 60), budget(report.Dry, 0), budget(report.Refill, 5)), slow,
	}
}

// addition adds figures of a scenario's own to a sample, when the pool is full again and the operator idle.
type addition func(*world.Space, world.Use, *report.Sample)

// addSupply adds whether the pool kept up with the claims.
func addSupply(space *world.Space, _ world.Use, sample *report.Sample) {
	_, last := space.Creations()
	maps.Copy(sample.Figures, supplyFigures(space.Members(), last))
}

// supplyFigures returns the figures of a pool that is full again after the last claim.
func supplyFigures(pool ledger.Pool, lastClaim time.Time) map[report.Figure]float64 {
	return map[report.Figure]float64{
		report.Fewest: float64(pool.Fewest), report.Dry: float64(pool.Dry),
		report.Refill: max(0, pool.FullAt.Sub(lastClaim).Seconds()),
	}
}

// addRequestsBeforeReady adds the operator's requests until the last claim was Ready. If the audit log does not show
// when that was, the rest of the sample is still valid.
func addRequestsBeforeReady(space *world.Space, use world.Use, sample *report.Sample) {
	first, _ := space.Creations()
	before, err := measure.UntilReady(use.Requests, first, space.ReadyTimes())
	if err != nil {
		sample.Violations = append(sample.Violations, err.Error())
		return
	}
	sample.BeforeReady = before
	maps.Copy(sample.Figures, requestFigures(before))
}

// requestFigures tells the two requests that a warm claim needs from all others.
func requestFigures(before measure.Requests) map[report.Figure]float64 {
	sandboxes, claims := before[measure.SandboxPatch], before[measure.ClaimStatusPatch]
	return map[report.Figure]float64{
		report.SandboxPatches: float64(sandboxes), report.ClaimPatches: float64(claims),
		report.OtherRequests: float64(before.Total() - sandboxes - claims),
	}
}
