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
	batchSize  = 500 // Sandboxes to create before waiting for them; their start is not measured
	batchRate  = 150
	restTime   = 30 * time.Second
	idleName   = "idle"
	costPool   = 20 // the size of the pool that serves claims, and the number of claims
	costRounds = 5  // the number of measurements for a median
	costScrape = 21
	// mostGrowth is how much a scrape may grow. It allows for longer numbers, but the number of series must not depend
	// on the number of Sandboxes.
	mostGrowth = 1.2
)

// idle creates many idle Sandboxes, and compares the costs of scrapes, passes and claims beside few and beside many.
func idle(count int) Scenario {
	return Scenario{
		Name: "idle", About: fmt.Sprintf("%d Sandboxes at rest in one namespace; a scrape, a pass over a Sandbox and a "+
			"warm claim cost what "+
			"they cost beside %d", count, few),
		Limits: []report.Limit{
			budget(report.Resident, 200), budget(report.ScrapeGrowth, mostGrowth), budget(report.ScrapeTimeGrowth, 1.5),
			budget(report.CostGrowth, 1.5), budget(report.ClaimGrowth, 1.5),
		},
		Once: true,
		Run: func(ctx context.Context, w *world.World) (report.Sample, error) {
			space, err := w.Open(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			sample, err := compareCosts(ctx, w, space, count)
			return sample, errors.Join(err, space.Err(), space.Leave(ctx)) // what may come after it waits for the deletion
		},
	}
}

// compareCosts measures costs beside few Sandboxes, and then beside count Sandboxes.
func compareCosts(ctx context.Context, w *world.World, space *world.Space, count int) (report.Sample, error) {
	if err := space.AddPool(ctx, ""); err != nil {
		return report.Sample{}, err
	}
	if _, err := space.FillPool(ctx, costPool); err != nil {
		return report.Sample{}, err
	}
	if err := addSandboxes(ctx, w, space, 0, few, 0); err != nil {
		return report.Sample{}, err
	}
	before, err := measureCosts(ctx, w, space, "few", few)
	if err != nil {
		return report.Sample{}, err
	}
	load, err := w.StartLoad()
	if err != nil {
		return report.Sample{}, err
	}
	if err := addSandboxes(ctx, w, space, few, count, costRounds*costPool); err != nil {
		return report.Sample{}, err
	}
	figures, err := load.End()
	if err != nil {
		return report.Sample{}, err
	}
	resting, err := measureIdleCPU(ctx, w)
	if err != nil {
		return report.Sample{}, err
	}
	use, err := w.Operator.Use()
	if err != nil {
		return report.Sample{}, err
	}
	after, err := measureCosts(ctx, w, space, "many", count+costRounds*costPool)
	if err != nil {
		return report.Sample{}, err
	}
	sample := world.Use{Process: use, Load: figures}.Sample(0)
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
		sample.Violations = append(sample.Violations,
			fmt.Sprintf("a scrape is %.2f times as large beside %d Sandboxes as beside %d", got, count, few))
	}
	return sample, nil
}

// addSandboxes creates the Sandboxes from number from up to count in batches, and waits for each batch. others is the
// number of other objects, which are Ready already.
func addSandboxes(ctx context.Context, w *world.World, space *world.Space, from, count, others int) error {
	for from < count {
		size := min(batchSize, count-from)
		space.Create(ctx, world.Bare, fmt.Sprintf("%s-%d", idleName, from), load.Constant(batchRate, size))
		from += size
		if err := space.AllReady(ctx, from+others); err != nil {
			return err
		}
		if from%(4*batchSize) == few || from == count {
			w.Logf("%d Sandboxes are Ready", from)
		}
	}
	return nil
}

// measureIdleCPU returns the share of one CPU, in percent, that the operator uses while nothing happens.
func measureIdleCPU(ctx context.Context, w *world.World) (float64, error) {
	window, err := w.Watch(ctx)
	if err != nil {
		return 0, err
	}
	world.Sleep(ctx, restTime)
	use, err := window.Close(ctx)
	return 100 * use.CPU.Seconds() / use.Elapsed.Seconds(), err
}

// costs are the costs that should not depend on the number of Sandboxes.
type costs struct {
	scrape    time.Duration
	size      int
	reconcile time.Duration // a pass over a Sandbox that finds nothing to do
	claim     time.Duration // a pass over a claim that gets a warm Sandbox, including writes
}

// measureCosts measures each cost several times and returns the medians. readyCount is the number of objects that the
// client has created, all of which are Ready.
func measureCosts(ctx context.Context, w *world.World, space *world.Space, name string, readyCount int) (costs, error) {
	var all costs
	var claims, passes, times []time.Duration
	for round := range costRounds {
		took, err := claimCost(ctx, w, space, fmt.Sprintf("%s-%d", name, round), readyCount+round*costPool)
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

// claimCost creates claims on the pool, ten a second, and returns the mean time of their reconciles.
func claimCost(
	ctx context.Context, w *world.World, space *world.Space, name string, readyCount int,
) (time.Duration, error) {
	window, err := w.Watch(ctx)
	if err != nil {
		return 0, err
	}
	space.Create(ctx, world.Warm, "claim-"+name, load.Constant(costPool/2, costPool))
	if err := space.AllReady(ctx, readyCount+costPool); err != nil {
		return 0, err
	}
	if err := space.PoolFull(ctx); err != nil {
		return 0, err
	}
	use, err := window.Close(ctx)
	return use.ReconcileTime["sandboxclaim"], err
}

// passCost changes an annotation of the first Sandboxes, one after another, and returns the mean time of their
// reconciles.
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
		return 0, fmt.Errorf("the operator reconciled %d changed Sandboxes only %.0f times", few, got)
	}
	return use.ReconcileTime["sandbox"], nil
}
