// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/measure"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
)

// Load measures the CPU time of the machine and of the programs that share it, while a load lasts.
type Load struct {
	world *World
	begin cpuTimes
}

// cpuTimes are the CPU times so far.
type cpuTimes struct {
	machine   measure.Machine
	processes map[report.Figure]time.Duration
}

// components are the programs of the cluster whose CPU time is reported.
func components() map[report.Figure]string {
	return map[report.Figure]string{report.APIServerCPU: "kube-apiserver", report.EtcdCPU: "etcd"}
}

// readPIDs finds the processes of components in the records that testcluster keeps in dir.
func readPIDs(dir string) (map[report.Figure]int, error) {
	all := map[report.Figure]int{}
	for figure, name := range components() {
		pid, err := measure.ReadPID(filepath.Join(dir, name+".json"))
		if err != nil {
			return nil, fmt.Errorf("process of %s: %w", name, err)
		}
		all[figure] = pid
	}
	return all, nil
}

func (w *World) readCPUTimes() (cpuTimes, error) {
	machine, err := measure.ReadMachine()
	if err != nil {
		return cpuTimes{}, err
	}
	operator, err := w.Operator.Use()
	if err != nil {
		return cpuTimes{}, fmt.Errorf("the operator has ended: %w", err)
	}
	used := cpuTimes{machine: machine, processes: map[report.Figure]time.Duration{report.OperatorCPU: operator.CPU}}
	for figure, pid := range w.pids {
		process, err := measure.ReadProcess(pid)
		if err != nil {
			return cpuTimes{}, fmt.Errorf("%s: %w", figure, err)
		}
		used.processes[figure] = process.CPU
	}
	return used, nil
}

// StartLoad begins to measure. The caller puts load on the cluster at once.
func (w *World) StartLoad() (*Load, error) {
	begin, err := w.readCPUTimes()
	return &Load{world: w, begin: begin}, err
}

// End returns the CPU times since the beginning.
func (l *Load) End() (map[report.Figure]float64, error) {
	end, err := l.world.readCPUTimes()
	if err != nil {
		return nil, err
	}
	figures := map[report.Figure]float64{report.MachineBusy: 100 * end.machine.BusySince(l.begin.machine)}
	for figure, used := range end.processes {
		figures[figure] = (used - l.begin.processes[figure]).Seconds()
	}
	return figures, nil
}

// APIServer returns the resource usage of kube-apiserver so far.
func (w *World) APIServer() (measure.Process, error) {
	return measure.ReadProcess(w.pids[report.APIServerCPU])
}
