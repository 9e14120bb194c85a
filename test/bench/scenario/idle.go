// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

const (
	few        = 100 // Sandboxes to compare with
	lot        = 500 // created before waiting for them: nobody measures how they start
	lotRate    = 150
	restTime   = 30 * time.Second
	idleName   = "idle"
	costPool   = 20 // members of a pool that serves claims while the others rest, and how many claims there are
	costRounds = 5  // the median of so many counts
	costScrape = 21
	// mostGrowth is what a scrape may grow by: the digits of its numbers. The number of series must not depend on that of Sandboxes.
	mostGrowth = 1.2
)

// idle has many Sandboxes that nobody does anything with, and compares what others cost beside few and beside many.
func idle(count int) Scenario {
	return Scenario{
		Name: "idle", About: fmt.Sprintf("%d Sandboxes at rest in one namespace; a scrape, a pass over a Sandbox and a warm claim cost what "+
			"they cost beside %d", count, few),
		Limits: []report.Limit{
			budget(report.Resident, 250), budget(report.ScrapeGrowth, mostGrowth), budget(report.ScrapeTimeGrowth, 1.5),
			budget(report.CostGrowth, 1.5), budget(report.ClaimGrowth, 1.5),
		},
		Once: true,
		Run: func(ctx context.Context, w *world.World) (report.Sample, error) {
			space, err := w.Open(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			sample, err := compared(ctx, w, space, count)
			return sample, errors.Join(err, space.Err(), space.Leave(ctx)) // the last scenario: nobody waits for thousands to go
		},
	}
}

// compared measures costs beside few Sandboxes, then beside count.
func compared(ctx context.Context, w *world.World, space *world.Space, count int) (report.Sample, error) {
	if err := space.AddPool(ctx, ""); err != nil {
		return report.Sample{}, err
	}
	if _, err := space.FillPool(ctx, costPool); err != nil {
		return report.Sample{}, err
	}
	if err := grow(ctx, w, space, 0, few, 0); err != nil {
		return report.Sample{}, err
	}
	before, err := cost(ctx, w, space, "few", few)
	if err != nil {
		return report.Sample{}, err
	}
	if err := grow(ctx, w, space, few, count, costRounds*costPool); err != nil {
		return report.Sample{}, err
	}
	resting, err := rest(ctx, w)
	if err != nil {
		return report.Sample{}, err
	}
	use, err := w.Operator.Use()
	if err != nil {
		return report.Sample{}, err
	}
	after, err := cost(ctx, w, space, "many", count+costRounds*costPool)
	if err != nil {
		return report.Sample{}, err
	}
	sample := world.Use{Process: use}.Sample(0)
	growth := func(few, many float64) float64 { return many / max(few, 1e-9) }
	maps.Copy(sample.Figures, map[report.Figure]float64{
		report.Claims: float64(count), report.Idle: resting,
		report.ScrapeTime: milliseconds(after.scrape), report.ScrapeSize: float64(after.size) / 1000,
		report.ReconcileCost: milliseconds(after.reconcile), report.ClaimCost: milliseconds(after.claim),
		report.ScrapeGrowth:     growth(float64(before.size), float64(after.size)),
		report.ScrapeTimeGrowth: growth(before.scrape.Seconds(), after.scrape.Seconds()),
		report.CostGrowth:       growth(before.reconcile.Seconds(), after.reconcile.Seconds()),
		report.ClaimGrowth:      growth(before.claim.Seconds(), after.claim.Seconds()),
	})
	sample.Violations = space.Violations()
	if got := sample.Figures[report.ScrapeGrowth]; got > mostGrowth {
		sample.Violations = append(sample.Violations, fmt.Sprintf("a scrape is %.2f times as large beside %d Sandboxes as beside %d", got, count, few))
	}
	return sample, nil
}

// grow creates Sandboxes number from to count, lot by lot. Others that the client made are Ready already.
func grow(ctx context.Context, w *world.World, space *world.Space, from, count, others int) error {
	for from < count {
		size := min(lot, count-from)
		space.Create(ctx, world.Bare, fmt.Sprintf("%s-%d", idleName, from), load.Constant(lotRate, size))
		from += size
		if err := space.AllReady(ctx, from+others); err != nil {
			return err
		}
		if from%(4*lot) == few || from == count {
			w.Say("%d Sandboxes are Ready", from)
		}
	}
	return nil
}

// rest is the share of one CPU, in percent, that the operator uses while nothing happens.
func rest(ctx context.Context, w *world.World) (float64, error) {
	window, err := w.Watch(ctx)
	if err != nil {
		return 0, err
	}
	world.Rest(ctx, restTime)
	use, err := window.Close(ctx)
	return 100 * use.CPU.Seconds() / use.Elapsed.Seconds(), err
}

// costs are what should not depend on how many Sandboxes there are.
type costs struct {
	scrape    time.Duration
	size      int
	reconcile time.Duration // a pass over a Sandbox that finds nothing to do
	claim     time.Duration // the passes over a claim that gets a warm Sandbox, writes included
}

// cost measures each a few times; medians count. asked is how many objects the client has made, all of them Ready.
func cost(ctx context.Context, w *world.World, space *world.Space, name string, asked int) (costs, error) {
	var all costs
	var claims, passes, times []time.Duration
	for round := range costRounds {
		took, err := claimCost(ctx, w, space, fmt.Sprintf("%s-%d", name, round), asked+round*costPool)
		if err != nil {
			return all, err
		}
		claims = append(claims, took)
	}
	for round := range costRounds {
		took, err := passCost(ctx, w, space, fmt.Sprintf("%s-%d", name, round))
		if err != nil {
			return all, err
		}
		passes = append(passes, took)
	}
	for range costScrape {
		_, size, took, err := w.Operator.Scrape(ctx)
		if err != nil {
			return all, err
		}
		all.size = size
		times = append(times, took)
	}
	all.claim = measure.Summarize(claims).P50
	all.reconcile, all.scrape = measure.Summarize(passes).P50, measure.Summarize(times).P50
	return all, nil
}

// claimCost lets some claims take Sandboxes of the pool, one after another.
func claimCost(ctx context.Context, w *world.World, space *world.Space, name string, asked int) (time.Duration, error) {
	window, err := w.Watch(ctx)
	if err != nil {
		return 0, err
	}
	space.Create(ctx, world.Warm, "claim-"+name, load.Constant(costPool/2, costPool))
	if err := space.AllReady(ctx, asked+costPool); err != nil {
		return 0, err
	}
	if err := space.PoolFull(ctx); err != nil {
		return 0, err
	}
	use, err := window.Close(ctx)
	return use.ReconcileTime["sandboxclaim"], err
}

// passCost wakes the operator for the first Sandboxes, one after another.
func passCost(ctx context.Context, w *world.World, space *world.Space, value string) (time.Duration, error) {
	window, err := w.Watch(ctx)
	if err != nil {
		return 0, err
	}
	for i := range few {
		if err := space.Touch(ctx, world.Name(fmt.Sprintf("%s-%d", idleName, 0), i), value); err != nil {
			return 0, err
		}
	}
	use, err := window.Close(ctx)
	if err != nil {
		return 0, err
	}
	if got := use.Reconciles["sandbox"]; got < few {
		return 0, fmt.Errorf("the operator looked %.0f times at %d Sandboxes that changed", got, few)
	}
	return use.ReconcileTime["sandbox"], nil
}
