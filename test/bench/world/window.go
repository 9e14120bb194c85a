// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
)

// Window is a stretch of time over which the operator is watched.
type Window struct {
	world   *World
	begin   time.Time
	process measure.Process
	scrape  measure.Scrape
}

// Use is what the operator did and used meanwhile.
type Use struct {
	Elapsed       time.Duration
	CPU           time.Duration
	Process       measure.Process // at the end
	Writes, Reads measure.Requests
	Reconciles    map[string]float64
	// ReconcileTime is the mean of one reconcile by controller, as the operator measured it.
	ReconcileTime map[string]time.Duration
}

const (
	reconcileTotal = "controller_runtime_reconcile_total"
	reconcileTime  = "controller_runtime_reconcile_time_seconds"
	byController   = "controller"
)

// quiet is how long the operator must ask for nothing before it is at rest: longer than it holds back a pool's status.
const quiet = 2 * time.Second

// Settle waits until the operator has been at rest for a while and returns what it asked for since it was last looked at.
func (w *World) Settle(ctx context.Context) (measure.Requests, error) {
	all := measure.Requests{}
	last := time.Now()
	err := until(ctx, "the operator is at rest", func() (bool, error) {
		more, err := w.audit.Next()
		for what, count := range more {
			all[what] += count
			last = time.Now()
		}
		return time.Since(last) > quiet, err
	})
	return all, err
}

// Watch waits until the operator is at rest and begins a Window.
func (w *World) Watch(ctx context.Context) (*Window, error) {
	if _, err := w.Settle(ctx); err != nil {
		return nil, err
	}
	scrape, _, _, err := w.Operator.Scrape(ctx)
	if err != nil {
		return nil, err
	}
	process, err := w.Operator.Use()
	return &Window{world: w, begin: time.Now(), process: process, scrape: scrape}, err
}

// Close waits until the operator is at rest and returns what it did since the beginning: all that the load caused is in it, and the
// pause at the end costs nothing.
func (v *Window) Close(ctx context.Context) (Use, error) {
	requests, err := v.world.Settle(ctx)
	if err != nil {
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
		ReconcileTime: map[string]time.Duration{},
	}
	use.Writes, use.Reads = requests.Split()
	counts := measure.Since(v.scrape.By(reconcileTime, byController), scrape.By(reconcileTime, byController))
	for controller, sum := range measure.Since(v.scrape.SumBy(reconcileTime, byController), scrape.SumBy(reconcileTime, byController)) {
		if counts[controller] > 0 {
			use.ReconcileTime[controller] = time.Duration(sum / counts[controller] * float64(time.Second))
		}
	}
	return use, nil
}

const mega = 1e6

// Sample is the use as figures, of that many claims.
func (u Use) Sample(claims int) report.Sample {
	sample := report.Sample{
		Writes: u.Writes, Reads: u.Reads, Reconciles: u.Reconciles,
		Figures: map[report.Figure]float64{
			report.Claims: float64(claims), report.Resident: float64(u.Process.Resident) / mega, report.Peak: float64(u.Process.Peak) / mega,
		},
	}
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
