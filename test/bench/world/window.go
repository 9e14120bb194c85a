// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
)

// Window is a period in which the operator's resource usage is measured.
type Window struct {
	world   *World
	begin   time.Time
	process measure.Process
	scrape  measure.Scrape
	load    *Load
	figures map[report.Figure]float64 // of the load, after EndLoad
}

// Use is what the operator did and used during a Window.
type Use struct {
	Elapsed       time.Duration
	CPU           time.Duration
	Process       measure.Process   // at the end of the Window
	Requests      []measure.Request // in the order in which they were completed
	Writes, Reads measure.Requests
	Load          map[report.Figure]float64 // CPU times while the load lasted
	Reconciles    map[string]float64
	// ReconcileTime is the mean time of a reconcile by controller, from the operator's metrics.
	ReconcileTime map[string]time.Duration
	// Passes are the times of the reconciles, in seconds, by controller.
	Passes map[string]measure.Buckets
}

const (
	reconcileTotal = "controller_runtime_reconcile_total"
	reconcileTime  = "controller_runtime_reconcile_time_seconds"
	byController   = "controller"
)

// idlePeriod is how long the operator must send no requests to be considered idle. It is longer than the operator
// delays a pool's status.
const idlePeriod = 2 * time.Second

// WaitUntilIdle waits until the operator is idle and returns its requests since the last call.
func (w *World) WaitUntilIdle(ctx context.Context) ([]measure.Request, error) {
	var all []measure.Request
	last := time.Now()
	err := waitUntil(ctx, "the operator is idle", func() (bool, error) {
		more, err := w.audit.Next()
		if len(more) > 0 {
			all = append(all, more...)
			last = time.Now()
		}
		return time.Since(last) > idlePeriod, err
	})
	return all, err
}

// Watch waits until the operator is idle and begins a Window.
func (w *World) Watch(ctx context.Context) (*Window, error) {
	if _, err := w.WaitUntilIdle(ctx); err != nil {
		return nil, err
	}
	scrape, _, _, err := w.Operator.Scrape(ctx)
	if err != nil {
		return nil, err
	}
	process, err := w.Operator.Use()
	if err != nil {
		return nil, err
	}
	load, err := w.StartLoad()
	return &Window{world: w, begin: time.Now(), process: process, scrape: scrape, load: load}, err
}

// EndLoad ends the measurement of the machine's CPU time. Scenarios call it when all they asked for is Ready. Without a
// call, Close does it, with the idle time at the end of the Window.
func (v *Window) EndLoad() error {
	if v.figures != nil {
		return nil
	}
	var err error
	v.figures, err = v.load.End()
	return err
}

// Close waits until the operator is idle and returns what it did since the beginning of the Window. The result includes
// everything that the load caused; the idle time at the end adds almost no cost.
func (v *Window) Close(ctx context.Context) (Use, error) {
	requests, err := v.world.WaitUntilIdle(ctx)
	if err != nil {
		return Use{}, err
	}
	if err := v.EndLoad(); err != nil {
		return Use{}, err
	}
	process, err := v.world.Operator.Use()
	if err != nil {
		return Use{}, fmt.Errorf("the operator has ended: %w", err)
	}
	scrape, _, _, err := v.world.Operator.Scrape(ctx)
	if err != nil {
		return Use{}, err
	}
	use := Use{
		Elapsed: time.Since(v.begin), CPU: process.CPU - v.process.CPU, Process: process,
		Reconciles:    measure.Since(v.scrape.By(reconcileTotal, byController), scrape.By(reconcileTotal, byController)),
		ReconcileTime: map[string]time.Duration{}, Requests: requests, Load: v.figures,
	}
	use.Passes = map[string]measure.Buckets{}
	before := v.scrape.Buckets(reconcileTime, byController)
	for controller, buckets := range scrape.Buckets(reconcileTime, byController) {
		if added := buckets.Since(before[controller]); added.Count() > 0 {
			use.Passes[controller] = added
		}
	}
	use.Writes, use.Reads = measure.Count(requests).Split()
	counts := measure.Since(v.scrape.By(reconcileTime, byController), scrape.By(reconcileTime, byController))
	for controller, sum := range measure.Since(v.scrape.SumBy(reconcileTime, byController),
		scrape.SumBy(reconcileTime, byController)) {
		if counts[controller] > 0 {
			use.ReconcileTime[controller] = time.Duration(sum / counts[controller] * float64(time.Second))
		}
	}
	return use, nil
}

const mega = 1e6

// Sample returns the usage as figures for the given number of claims.
func (u Use) Sample(claims int) report.Sample {
	sample := report.Sample{
		Writes: u.Writes, Reads: u.Reads, Reconciles: u.Reconciles,
		Figures: map[report.Figure]float64{
			report.Claims: float64(claims), report.Resident: float64(u.Process.Resident) / mega,
			report.Peak: float64(u.Process.Peak) / mega,
		},
	}
	maps.Copy(sample.Figures, u.Load)
	if claims > 0 {
		reconciles := 0.0
		for _, count := range u.Reconciles {
			reconciles += count
		}
		n := float64(claims)
		sample.Figures[report.Writes] = float64(u.Writes.Total()) / n
		sample.Figures[report.Reads] = float64(u.Reads.Total()) / n
		sample.Figures[report.Reconciles] = reconciles / n
		sample.Figures[report.CPU] = float64(u.CPU.Milliseconds()) / n
	}
	return sample
}
