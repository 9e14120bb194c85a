// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scenario contains the benchmark's scenarios. Each creates its own namespace, puts load on it, waits until the
// operator is idle, and deletes the namespace.
package scenario

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

// Scenario is one load with its limits.
type Scenario struct {
	Name   string
	About  string
	Limits []report.Limit
	// Once is set for scenarios whose further runs are not worth their time.
	Once bool
	// OnRequest is set for scenarios that run only if a selection names them, because they last long.
	OnRequest bool
	Run       func(context.Context, *world.World) (report.Sample, error)
}

// Scale is the size of the loads.
type Scale struct {
	Pool     int     // members of the pool
	Overload int     // simultaneous claims on that pool
	Rate     float64 // sustained claims a second
	Count    int     // sustained claims
	Cold     int     // cold starts
	Idle     int     // idle Sandboxes
	// Steady is how long the scenarios last whose rate does not depend on the scale.
	Steady time.Duration
	Fleet  Fleet
}

// Full is the scale to which the budgets apply.
func Full() Scale {
	return Scale{
		Pool: 300, Overload: 500, Rate: 20, Count: 600, Cold: 100, Idle: 10000, Steady: time.Minute,
		Fleet: Fleet{Namespaces: 100, Pools: 2, Members: 10, Running: 9000, Suspended: 9000},
	}
}

// Small is a scale that takes a few minutes, to check that the scenarios work.
func Small() Scale {
	return Scale{
		Pool: 40, Overload: 60, Rate: 10, Count: 50, Cold: 20, Idle: 300, Steady: 5 * time.Second,
		Fleet: Fleet{Namespaces: 5, Pools: 2, Members: 10, Running: 60, Suspended: 60},
	}
}

func budget(figure report.Figure, most float64) report.Limit {
	return report.Limit{Figure: figure, Most: most, Source: report.Budget}
}

// perClaim returns the limits of what a warm claim costs, the replenishment of its pool included.
func perClaim() []report.Limit {
	return []report.Limit{budget(report.Writes, 7), budget(report.Reconciles, 8)}
}

// All returns the scenarios in the order in which they run. The last ones leave the most objects to delete.
func All(s Scale) []Scenario {
	sustained := append([]report.Limit{budget(report.P50, 30), budget(report.P99, 110)}, perClaim()...)
	burst := append([]report.Limit{
		budget(report.AllReady, 2.8), budget(report.P50, 1400), budget(report.SandboxPatches, float64(s.Pool)),
		budget(report.ClaimPatches, float64(s.Pool)), budget(report.OtherRequests, float64(s.Pool)/10),
	}, perClaim()...)
	all := []Scenario{
		{
			Name: "fill", About: fmt.Sprintf("a pool goes from 0 to %d Ready members", s.Pool),
			Limits: []report.Limit{budget(report.Fill, 4.5)}, Run: fill(s.Pool),
		},
		{
			Name: "burst", About: fmt.Sprintf("%d claims at once on a pool of %d", s.Pool, s.Pool),
			Limits: burst, Run: claimsOnPool(s.Pool, load.Burst(s.Pool), addRequestsBeforeReady),
		},
		{
			Name:  "overload",
			About: fmt.Sprintf("%d claims at once on a pool of %d: all Ready, no member lost", s.Overload, s.Pool),
			Run:   claimsOnPool(s.Pool, load.Burst(s.Overload)),
		},
		{
			Name:   "sustained",
			About:  fmt.Sprintf("%d claims, %.0f a second at equal distances, on a pool of %d", s.Count, s.Rate, s.Pool),
			Limits: sustained, Run: claimsOnPool(s.Pool, load.Constant(s.Rate, s.Count), addSupply),
		},
		{
			Name: "poisson",
			About: fmt.Sprintf("%d claims, %.0f a second as independent clients send them, on a pool of %d", s.Count, s.Rate,
				s.Pool),
			Limits: sustained, Run: claimsOnPool(s.Pool, load.Poisson(s.Rate, s.Count, 1), addSupply),
		},
		{
			Name: "cold", About: fmt.Sprintf("%d claims without a pool, 5 a second", s.Cold),
			Once: true, Run: createObjects(world.Cold, load.Constant(5, s.Cold), 0),
		},
		rollout(s, "Recreate"), rollout(s, "OnReplenish"),
	}
	return slices.Concat(all, steady(s), recipes(s), []Scenario{idle(s.Idle), scale(s)})
}

// Select returns the scenarios whose names match the pattern. An empty pattern selects those that need no request.
func Select(all []Scenario, pattern *regexp.Regexp) []Scenario {
	return slices.DeleteFunc(slices.Clone(all), func(one Scenario) bool {
		return !pattern.MatchString(one.Name) || one.OnRequest && pattern.String() == ""
	})
}

// newSample combines the client's latencies with the operator's resource usage.
func newSample(l *ledger.Ledger, use world.Use) report.Sample {
	each, all := l.Latencies()
	sample := use.Sample(len(each))
	summary := measure.Summarize(each)
	for figure, value := range map[report.Figure]time.Duration{
		report.P50: summary.P50, report.P90: summary.P90, report.P99: summary.P99, report.Max: summary.Max,
	} {
		sample.Figures[figure] = milliseconds(value)
	}
	sample.Figures[report.AllReady] = all.Seconds()
	sample.Figures[report.Warm] = float64(countWarm(l.Handovers()))
	if all > 0 {
		sample.Figures[report.Throughput] = float64(len(each)) / all.Seconds()
	}
	sample.Violations = l.Violations()
	return sample
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func countWarm(all []ledger.Handover) int {
	count := 0
	for _, one := range all {
		if one.Warm {
			count++
		}
	}
	return count
}

// inNewSpace opens a namespace for do, and closes it even if do fails.
func inNewSpace(
	ctx context.Context, w *world.World, do func(*world.Space) (report.Sample, error),
) (sample report.Sample, err error) {
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

// fill measures how long a pool takes to fill.
func fill(size int) func(context.Context, *world.World) (report.Sample, error) {
	return func(ctx context.Context, w *world.World) (report.Sample, error) {
		return inNewSpace(ctx, w, func(space *world.Space) (report.Sample, error) {
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
			if err := window.EndLoad(); err != nil {
				return report.Sample{}, err
			}
			use, err := window.Close(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			sample := use.Sample(size)
			sample.Figures[report.Fill] = took.Seconds()
			return addPoolFigures(space, sample), nil
		})
	}
}

// addPoolFigures adds the figures and violations of the pool. A member that is deleted although nothing changed is a
// violation.
func addPoolFigures(space *world.Space, sample report.Sample) report.Sample {
	pool := space.Members()
	sample.Figures[report.Members] = float64(pool.Most)
	sample.Violations = space.Violations()
	if pool.Lost > 0 {
		sample.Violations = append(sample.Violations, fmt.Sprintf("%d members were deleted, not handed out", pool.Lost))
	}
	return sample
}

// claimsOnPool creates claims on a full pool and waits until it is full again.
func claimsOnPool(
	size int, schedule load.Schedule, more ...addition,
) func(context.Context, *world.World) (report.Sample, error) {
	return func(ctx context.Context, w *world.World) (report.Sample, error) {
		return inNewSpace(ctx, w, func(space *world.Space) (report.Sample, error) {
			window, err := watchFullPool(ctx, w, space, size, "")
			if err != nil {
				return report.Sample{}, err
			}
			space.Create(ctx, world.Warm, "claim", schedule)
			if err := allReady(ctx, space, window, len(schedule)); err != nil {
				return report.Sample{}, err
			}
			if err := space.PoolFull(ctx); err != nil {
				return report.Sample{}, err
			}
			use, err := window.Close(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			sample := addPoolFigures(space, newSample(space.Ledger, use))
			for _, add := range more {
				add(space, use, &sample)
			}
			return sample, nil
		})
	}
}

// allReady waits until the given number of objects has been Ready, which ends the load.
func allReady(ctx context.Context, space *world.Space, window *world.Window, count int) error {
	if err := space.AllReady(ctx, count); err != nil {
		return err
	}
	return window.EndLoad()
}

// watchFullPool creates a full pool, waits until the operator is idle and begins to watch it.
func watchFullPool(
	ctx context.Context, w *world.World, space *world.Space, size int, strategy world.Strategy,
) (*world.Window, error) {
	if err := space.AddPool(ctx, strategy); err != nil {
		return nil, err
	}
	if _, err := space.FillPool(ctx, size); err != nil {
		return nil, err
	}
	window, err := w.Watch(ctx)
	space.TrackFewest()
	return window, err
}

// createObjects creates objects that no pool serves, and deletes them at the given rate unless it is zero.
func createObjects(
	kind world.Kind, schedule load.Schedule, deletions float64,
) func(context.Context, *world.World) (report.Sample, error) {
	return func(ctx context.Context, w *world.World) (report.Sample, error) {
		return inNewSpace(ctx, w, func(space *world.Space) (report.Sample, error) {
			window, err := w.Watch(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			space.Create(ctx, kind, "cold", schedule)
			if err := allReady(ctx, space, window, len(schedule)); err != nil {
				return report.Sample{}, err
			}
			if deletions > 0 {
				space.Delete(ctx, kind, "cold", load.Constant(deletions, len(schedule)))
			}
			use, err := window.Close(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			return newSample(space.Ledger, use), nil
		})
	}
}
