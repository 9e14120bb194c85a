// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scenario holds what is measured: each scenario makes a namespace of its own, puts a load on it, waits until the operator is at
// rest, and leaves nothing behind.
package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

// Scenario is one load and what it must not exceed.
type Scenario struct {
	Name   string
	About  string
	Limits []report.Limit
	// Once says that more runs of it would say nothing new for the time they take.
	Once bool
	Run  func(context.Context, *world.World) (report.Sample, error)
}

// Scale is how large loads are.
type Scale struct {
	Pool     int     // members of the pool
	Overload int     // claims at once on that pool
	Rate     float64 // sustained claims a second
	Count    int     // sustained claims
	Cold     int     // cold starts
	Idle     int     // Sandboxes at rest
}

// Full is what the budgets are about.
func Full() Scale {
	return Scale{Pool: 300, Overload: 500, Rate: 20, Count: 600, Cold: 100, Idle: 10000}
}

// Small says whether scenarios work, in a few minutes.
func Small() Scale { return Scale{Pool: 40, Overload: 60, Rate: 10, Count: 50, Cold: 20, Idle: 300} }

func budget(figure report.Figure, most float64) report.Limit {
	return report.Limit{Figure: figure, Most: most, Source: report.Budget}
}

// All lists the scenarios in the order in which they run: the one that leaves the most behind is the last.
func All(s Scale) []Scenario {
	perClaim := []report.Limit{budget(report.Writes, 10), budget(report.Reconciles, 8)}
	sustained := append([]report.Limit{budget(report.P50, 25), budget(report.P99, 80)}, perClaim...)
	burst := append([]report.Limit{budget(report.AllReady, 2), budget(report.P50, 900)}, perClaim...)
	all := []Scenario{
		{
			Name: "fill", About: fmt.Sprintf("a pool goes from 0 to %d Ready members", s.Pool),
			Limits: []report.Limit{budget(report.Fill, 6)}, Run: fill(s.Pool),
		},
		{
			Name: "burst", About: fmt.Sprintf("%d claims at once on a pool of %d", s.Pool, s.Pool),
			Limits: burst, Run: claims(s.Pool, load.Burst(s.Pool)),
		},
		{
			Name: "overload", About: fmt.Sprintf("%d claims at once on a pool of %d: all Ready, no member lost", s.Overload, s.Pool),
			Run: claims(s.Pool, load.Burst(s.Overload)),
		},
		{
			Name: "sustained", About: fmt.Sprintf("%d claims, %.0f a second at equal distances, on a pool of %d", s.Count, s.Rate, s.Pool),
			Limits: sustained, Run: claims(s.Pool, load.Constant(s.Rate, s.Count)),
		},
		{
			Name: "poisson", About: fmt.Sprintf("%d claims, %.0f a second as independent clients send them, on a pool of %d", s.Count, s.Rate, s.Pool),
			Limits: sustained, Run: claims(s.Pool, load.Poisson(s.Rate, s.Count, 1)),
		},
		{
			Name: "cold", About: fmt.Sprintf("%d claims without a pool, 5 a second", s.Cold),
			Once: true, Run: created(world.Cold, load.Constant(5, s.Cold), 0),
		},
		rollout(s, "Recreate"), rollout(s, "OnReplenish"),
	}
	return append(append(all, recipes(s)...), idle(s.Idle))
}

// sampled adds what the client saw to what the operator did.
func sampled(space *world.Space, use world.Use) report.Sample {
	each, all := space.Latencies()
	sample := use.Sample(len(each))
	summary := measure.Summarize(each)
	for figure, value := range map[report.Figure]time.Duration{
		report.P50: summary.P50, report.P90: summary.P90, report.P99: summary.P99, report.Max: summary.Max,
	} {
		sample.Figures[figure] = milliseconds(value)
	}
	sample.Figures[report.AllReady] = all.Seconds()
	sample.Figures[report.Warm] = float64(warm(space.Handovers()))
	if all > 0 {
		sample.Figures[report.Throughput] = float64(len(each)) / all.Seconds()
	}
	sample.Violations = space.Violations()
	return sample
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func warm(all []ledger.Handover) int {
	count := 0
	for _, one := range all {
		if one.Warm {
			count++
		}
	}
	return count
}

// within opens a namespace for do and closes it, whatever do says.
func within(ctx context.Context, w *world.World, do func(*world.Space) (report.Sample, error)) (sample report.Sample, err error) {
	space, err := w.Open(ctx)
	if err != nil {
		return report.Sample{}, err
	}
	defer func() {
		if closed := space.Close(ctx); err == nil {
			err = closed
		}
	}()
	sample, err = do(space)
	if err == nil {
		err = space.Err()
	}
	return sample, err
}

// fill measures how long a pool takes to become full.
func fill(size int) func(context.Context, *world.World) (report.Sample, error) {
	return func(ctx context.Context, w *world.World) (report.Sample, error) {
		return within(ctx, w, func(space *world.Space) (report.Sample, error) {
			if err := space.AddPool(ctx, ""); err != nil {
				return report.Sample{}, err
			}
			window, err := w.Watch(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			took, err := space.FillPool(ctx, size)
			if err != nil {
				return report.Sample{}, err
			}
			use, err := window.Close(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			sample := use.Sample(size)
			sample.Figures[report.Fill] = took.Seconds()
			return pooled(space, sample), nil
		})
	}
}

// pooled adds what became of the pool. A member that is deleted although nothing changed is a lost one.
func pooled(space *world.Space, sample report.Sample) report.Sample {
	pool := space.Members()
	sample.Figures[report.Members] = float64(pool.Most)
	sample.Violations = space.Violations()
	if pool.Lost > 0 {
		sample.Violations = append(sample.Violations, fmt.Sprintf("%d members were deleted, not handed out", pool.Lost))
	}
	return sample
}

// claims puts claims on a full pool and waits until it is full again.
func claims(size int, schedule load.Schedule) func(context.Context, *world.World) (report.Sample, error) {
	return func(ctx context.Context, w *world.World) (report.Sample, error) {
		return within(ctx, w, func(space *world.Space) (report.Sample, error) {
			window, err := ready(ctx, w, space, size, "")
			if err != nil {
				return report.Sample{}, err
			}
			space.Create(ctx, world.Warm, "claim", schedule)
			if err := space.AllReady(ctx, len(schedule)); err != nil {
				return report.Sample{}, err
			}
			if err := space.PoolFull(ctx); err != nil {
				return report.Sample{}, err
			}
			use, err := window.Close(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			return pooled(space, sampled(space, use)), nil
		})
	}
}

// ready makes a full pool and begins to watch the operator once it is at rest.
func ready(ctx context.Context, w *world.World, space *world.Space, size int, strategy world.Strategy) (*world.Window, error) {
	if err := space.AddPool(ctx, strategy); err != nil {
		return nil, err
	}
	if _, err := space.FillPool(ctx, size); err != nil {
		return nil, err
	}
	return w.Watch(ctx)
}

// created creates objects that no pool serves and, if a rate is given, deletes them at it.
func created(kind world.Kind, schedule load.Schedule, deletions float64) func(context.Context, *world.World) (report.Sample, error) {
	return func(ctx context.Context, w *world.World) (report.Sample, error) {
		return within(ctx, w, func(space *world.Space) (report.Sample, error) {
			window, err := w.Watch(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			space.Create(ctx, kind, "cold", schedule)
			if err := space.AllReady(ctx, len(schedule)); err != nil {
				return report.Sample{}, err
			}
			if deletions > 0 {
				space.Delete(ctx, kind, "cold", load.Constant(deletions, len(schedule)))
			}
			use, err := window.Close(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			return sampled(space, use), nil
		})
	}
}
