// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"sync"
	"time"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

// rollout changes the template of a full pool while claims arrive.
func rollout(s Scale, strategy world.Strategy) Scenario {
	recreate := strategy == extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType
	about := "the template of a pool of %d changes while 10 claims a second arrive, strategy %s"
	if recreate {
		about += ": a claim made afterwards gets no stale member"
	}
	schedule := load.Constant(10, s.Count/4)
	return Scenario{
		Name: "rollout-" + string(strategy), About: fmt.Sprintf(about, s.Pool, strategy), Once: true,
		Run: func(ctx context.Context, w *world.World) (report.Sample, error) {
			return inNewSpace(ctx, w, func(space *world.Space) (report.Sample, error) {
				window, err := watchFullPool(ctx, w, space, s.Pool, strategy)
				if err != nil {
					return report.Sample{}, err
				}
				changed, err := changeTemplateDuringClaims(ctx, space, window, schedule)
				if err != nil {
					return report.Sample{}, err
				}
				use, err := window.Close(ctx)
				if err != nil {
					return report.Sample{}, err
				}
				sample := newSample(space.Ledger, use)
				pool := space.Members()
				stale := staleAfter(space.Handovers(), changed)
				sample.Figures[report.Members], sample.Figures[report.Stale] = float64(pool.Most), float64(len(stale))
				if recreate {
					sample.Figures[report.Rollout] = pool.FreshAt.Sub(changed).Seconds()
					sample.Violations = append(sample.Violations, staleViolations(stale, pool)...)
				}
				return sample, nil
			})
		},
	}
}

// changeTemplateDuringClaims changes the template after the first fifth of the claims, and waits until all claims are
// Ready and the pool is full. It returns the time at which the API server had responded to the change.
func changeTemplateDuringClaims(
	ctx context.Context, space *world.Space, window *world.Window, schedule load.Schedule,
) (changed time.Time, err error) {
	before := len(schedule) / 5
	space.WantVariant(world.FirstVariant)
	space.Create(ctx, world.Warm, "earlier", schedule[:before])
	var arriving sync.WaitGroup
	arriving.Go(func() { space.Create(ctx, world.Warm, "later", schedule[:len(schedule)-before]) })
	err = space.SetVariant(ctx, world.SecondVariant)
	changed = time.Now()
	space.WantVariant(world.SecondVariant)
	arriving.Wait()
	if err != nil {
		return changed, err
	}
	if err := allReady(ctx, space, window, len(schedule)); err != nil {
		return changed, err
	}
	return changed, space.PoolFull(ctx)
}

// staleAfter returns the handovers of stale Sandboxes to claims that were created after the change.
func staleAfter(all []ledger.Handover, changed time.Time) []ledger.Handover {
	var stale []ledger.Handover
	for _, one := range all {
		if one.Variant == world.FirstVariant && one.Created.After(changed) {
			stale = append(stale, one)
		}
	}
	return stale
}

// staleViolations returns the violations of what strategy Recreate guarantees.
func staleViolations(stale []ledger.Handover, pool ledger.Pool) []string {
	var all []string
	for _, one := range stale {
		all = append(all,
			fmt.Sprintf("claim %s, made after the template changed, got the stale Sandbox %s", one.Claim, one.Sandbox))
	}
	if pool.Stale > 0 {
		all = append(all, fmt.Sprintf("%d stale members are left in the pool", pool.Stale))
	}
	return all
}
