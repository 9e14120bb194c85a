// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

// recipeLimits returns the thresholds of the reference implementation's load tests.
func recipeLimits() []report.Limit {
	limit := func(figure report.Figure, most float64) report.Limit {
		return report.Limit{Figure: figure, Most: most, Source: report.Recipe}
	}
	return []report.Limit{limit(report.P50, 1000), limit(report.P90, 1000), limit(report.P99, 5000)}
}

// recipes returns the reference implementation's load tests at its rates. They have fewer objects, because the
// originals are for clusters of many machines.
func recipes(s Scale) []Scenario {
	tenth := s.Pool / 10
	all := []Scenario{
		{
			Name:  "recipe-rapid-burst",
			About: fmt.Sprintf("5 bursts of %d claims at 100 a second on a pool of %d, 2 s apart", 5*s.Pool/30, 2*s.Pool/3),
			Run:   rapidBursts(2*s.Pool/3, 5, 5*s.Pool/30),
		},
		{
			Name:  "recipe-warm-pool-ramp",
			About: fmt.Sprintf("%d claims at 100 a second on a pool as large, deleted at 50 a second", s.Pool/3),
			Run:   churn(s.Pool/3, load.Constant(100, s.Pool/3), 50, 0),
		},
		{
			Name:  "recipe-high-volume",
			About: fmt.Sprintf("%d cold claims at 10 a second, deleted at 50 a second", s.Pool/3),
			Run:   createObjects(world.Cold, load.Constant(10, s.Pool/3), 50),
		},
		{
			Name:  "recipe-throughput",
			About: fmt.Sprintf("%d Sandboxes at 200 a second, deleted at 100 a second", 2*s.Pool),
			Run:   createObjects(world.Bare, load.Constant(200, 2*s.Pool), 100),
		},
		{
			Name:  "recipe-constant-churn",
			About: fmt.Sprintf("%d claims at 2 a second on a pool of %d, each deleted 5 s later", 2*tenth, tenth),
			Run:   churn(tenth, load.Constant(2, 2*tenth), 2, 5*time.Second),
		},
	}
	for i := range all {
		all[i].Limits, all[i].Once = recipeLimits(), true
	}
	return all
}

// rapidBursts sends bursts of claims, each when the claims of the one before are Ready.
func rapidBursts(pool, bursts, size int) func(context.Context, *world.World) (report.Sample, error) {
	return func(ctx context.Context, w *world.World) (report.Sample, error) {
		return inNewSpace(ctx, w, func(space *world.Space) (report.Sample, error) {
			window, err := watchFullPool(ctx, w, space, pool, "")
			if err != nil {
				return report.Sample{}, err
			}
			for i := range bursts {
				space.Create(ctx, world.Warm, fmt.Sprintf("burst-%d", i), load.Constant(100, size))
				if err := space.AllReady(ctx, (i+1)*size); err != nil {
					return report.Sample{}, err
				}
				world.Sleep(ctx, 2*time.Second)
			}
			if err := window.EndLoad(); err != nil {
				return report.Sample{}, err
			}
			if err := space.PoolFull(ctx); err != nil {
				return report.Sample{}, err
			}
			use, err := window.Close(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			return addPoolFigures(space, newSample(space.Ledger, use)), nil
		})
	}
}

// churn creates claims on a pool and deletes them at a rate. It starts to delete after the given time or, if that is
// zero, when all are Ready.
func churn(
	pool int, schedule load.Schedule, deletions float64, later time.Duration,
) func(context.Context, *world.World) (report.Sample, error) {
	return func(ctx context.Context, w *world.World) (report.Sample, error) {
		return inNewSpace(ctx, w, func(space *world.Space) (report.Sample, error) {
			window, err := watchFullPool(ctx, w, space, pool, "")
			if err != nil {
				return report.Sample{}, err
			}
			var deleting sync.WaitGroup
			remove := func() { space.Delete(ctx, world.Warm, "claim", load.Constant(deletions, len(schedule))) }
			if later > 0 {
				deleting.Go(func() {
					world.Sleep(ctx, later)
					remove()
				})
			}
			space.Create(ctx, world.Warm, "claim", schedule)
			err = allReady(ctx, space, window, len(schedule))
			deleting.Wait()
			if err != nil {
				return report.Sample{}, err
			}
			if later == 0 {
				remove()
			}
			if err := space.PoolFull(ctx); err != nil {
				return report.Sample{}, err
			}
			use, err := window.Close(ctx)
			if err != nil {
				return report.Sample{}, err
			}
			return addPoolFigures(space, newSample(space.Ledger, use)), nil
		})
	}
}
