// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"syscall"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/load"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/world"
)

// Fleet is the size of the scenario scale.
type Fleet struct {
	Namespaces int
	Pools      int // in each namespace
	Members    int // of each pool
	Running    int // further Sandboxes, with Pods
	Suspended  int // further Sandboxes, without Pods
}

// sandboxes returns the number of all Sandboxes.
func (f Fleet) sandboxes() int { return f.Namespaces*f.Pools*f.Members + f.Running + f.Suspended }

const (
	suspendedRate = 250 // a second; without Pods there is less to do
	fleetRate     = 10  // claims a second
)

// scale measures the operator of a large cluster, and how long claims wait while it starts or another one takes over.
func scale(s Scale) Scenario {
	f := s.Fleet
	schedule := load.Constant(fleetRate, int(fleetRate*s.Steady.Seconds()))
	return Scenario{
		Name: "scale",
		About: fmt.Sprintf("%d namespaces, %d pools of %d, %d Sandboxes of which %d are suspended: %d claims on all pools, "+
			"%d a second; then a restart and two fail-overs", f.Namespaces, f.Namespaces*f.Pools, f.Members, f.sandboxes(),
			f.Suspended, len(schedule), fleetRate),
		Once: true, OnRequest: true,
		Run: func(ctx context.Context, w *world.World) (report.Sample, error) {
			fleet, err := w.OpenFleet(ctx, f.Namespaces)
			if err != nil {
				return report.Sample{}, err
			}
			sample, err := measureFleet(ctx, w, fleet, f, schedule)
			return sample, errors.Join(err, fleet.Err(), fleet.Leave(ctx)) // nothing comes after it
		},
	}
}

func measureFleet(
	ctx context.Context, w *world.World, fleet *world.Fleet, size Fleet, schedule load.Schedule,
) (report.Sample, error) {
	empty, err := w.Operator.Use()
	if err != nil {
		return report.Sample{}, err
	}
	if err := buildFleet(ctx, w, fleet, size); err != nil {
		return report.Sample{}, err
	}
	memory, err := fleetMemory(ctx, w, empty, size.sandboxes())
	if err != nil {
		return report.Sample{}, err
	}
	sample, err := claimOnFleet(ctx, w, fleet, schedule)
	if err != nil {
		return report.Sample{}, err
	}
	maps.Copy(sample.Figures, memory)
	waits, err := measureOutages(ctx, w, fleet, len(schedule))
	for figure, wait := range waits {
		sample.Figures[figure] = wait.Seconds()
	}
	sample.Violations = fleet.Violations()
	if err != nil { // the figures before it are valid
		sample.Violations = append(sample.Violations, err.Error())
	}
	if lost := fleet.Lost(); lost > 0 {
		sample.Violations = append(sample.Violations, fmt.Sprintf("%d members were deleted, not handed out", lost))
	}
	return sample, nil
}

// buildFleet creates the pools and the further Sandboxes.
func buildFleet(ctx context.Context, w *world.World, fleet *world.Fleet, size Fleet) error {
	if err := fleet.AddPools(ctx, size.Pools, size.Members); err != nil {
		return err
	}
	members := size.Namespaces * size.Pools * size.Members
	w.Logf("%d members of %d pools are Ready", members, size.Namespaces*size.Pools)
	for from := 0; from < size.Running; from += batchSize {
		count := min(batchSize, size.Running-from)
		fleet.AddSandboxes(ctx, world.Bare, fmt.Sprintf("running-%d", from), load.Constant(batchRate, count))
		if err := fleet.Settled(ctx, ledger.Counts{Ready: members + from + count}); err != nil {
			return err
		}
	}
	w.Logf("%d further Sandboxes are Ready", size.Running)
	for from := 0; from < size.Suspended; from += batchSize {
		count := min(batchSize, size.Suspended-from)
		fleet.AddSandboxes(ctx, world.Suspended, fmt.Sprintf("suspended-%d", from), load.Constant(suspendedRate, count))
		if err := fleet.Settled(ctx, ledger.Counts{Suspended: from + count}); err != nil {
			return err
		}
	}
	w.Logf("%d further Sandboxes are suspended", size.Suspended)
	return nil
}

// fleetMemory returns the memory of operator and API server at rest. empty is the operator's without any Sandbox.
func fleetMemory(
	ctx context.Context, w *world.World, empty measure.Process, sandboxes int,
) (map[report.Figure]float64, error) {
	resting, err := measureIdleCPU(ctx, w)
	if err != nil {
		return nil, err
	}
	operator, err := w.Operator.Use()
	if err != nil {
		return nil, err
	}
	apiServer, err := w.APIServer()
	return map[report.Figure]float64{
		report.Idle: resting, report.Sandboxes: float64(sandboxes), report.Resident: float64(operator.Resident) / 1e6,
		report.PerSandbox:        float64(operator.Resident-empty.Resident) / 1e3 / float64(sandboxes),
		report.APIServerResident: float64(apiServer.Resident) / 1e6,
	}, err
}

// claimOnFleet creates claims on all pools and waits until the pools are full again.
func claimOnFleet(
	ctx context.Context, w *world.World, fleet *world.Fleet, schedule load.Schedule,
) (report.Sample, error) {
	window, err := w.Watch(ctx)
	if err != nil {
		return report.Sample{}, err
	}
	fleet.Claim(ctx, "claim", schedule)
	if err := fleet.AllReady(ctx, len(schedule)); err != nil {
		return report.Sample{}, err
	}
	if err := window.EndLoad(); err != nil {
		return report.Sample{}, err
	}
	if err := fleet.PoolsFull(ctx); err != nil {
		return report.Sample{}, err
	}
	use, err := window.Close(ctx)
	if err != nil {
		return report.Sample{}, err
	}
	sample := newSample(fleet.Ledger, use)
	sample.PassTimes = passTimes(use.Passes)
	return sample, nil
}

// passTimes returns quantiles of the times of reconciles, in milliseconds.
func passTimes(passes map[string]measure.Buckets) map[string]float64 {
	all := map[string]float64{}
	for controller, buckets := range passes {
		all[controller+" p50"] = 1000 * buckets.Quantile(0.5)
		all[controller+" p99"] = 1000 * buckets.Quantile(0.99)
	}
	return all
}

// measureOutages returns how long a claim waits that is created while no operator leads: from the start of the
// operator's process, and from the signal that ends the leader while another operator stands by. ready is the number of
// claims that are Ready already.
func measureOutages(
	ctx context.Context, w *world.World, fleet *world.Fleet, ready int,
) (map[report.Figure]time.Duration, error) {
	waits := map[report.Figure]time.Duration{}
	one := func(figure report.Figure, claim string, end func(create func()) (time.Time, error)) error {
		if _, err := w.WaitUntilIdle(ctx); err != nil {
			return err
		}
		begin, err := end(func() { fleet.Claim(ctx, claim, load.Burst(1)) })
		if err != nil {
			return fmt.Errorf("%s: %w", figure, err)
		}
		ready++
		if err := fleet.AllReady(ctx, ready); err != nil {
			return fmt.Errorf("%s: %w", figure, err)
		}
		waits[figure] = fleet.ReadyTimes()[world.Name(claim, 0)].Sub(begin)
		w.Logf("%s: %.1f", figure, waits[figure].Seconds())
		return nil
	}
	failOver := func(signal os.Signal) func(func()) (time.Time, error) {
		return func(create func()) (time.Time, error) { return w.FailOver(ctx, signal, create) }
	}
	err := one(report.StartUp, "started", func(create func()) (time.Time, error) { return w.Restart(ctx, create) })
	if err == nil {
		err = one(report.Killed, "killed", failOver(syscall.SIGKILL))
	}
	if err == nil {
		err = one(report.Ended, "ended", failOver(syscall.SIGTERM))
	}
	return waits, err
}
