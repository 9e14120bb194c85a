// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/test/bench/report"
)

// describeMachine returns the machine on which the figures were measured. Fields that cannot be read are empty.
func describeMachine(s settings) report.Machine {
	read := func(path string) string {
		data, _ := os.ReadFile(path)
		return strings.TrimSpace(string(data))
	}
	line := func(text, prefix string) string {
		for one := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(one, prefix); ok {
				return strings.Trim(rest, " \t\n:")
			}
		}
		return ""
	}
	kib, _ := strconv.Atoi(strings.TrimSuffix(line(read("/proc/meminfo"), "MemTotal:"), " kB"))
	version, _ := exec.Command(s.Binary, "--version").Output() //nolint:gosec // the binary is a flag
	minute, _, _ := strings.Cut(read("/proc/loadavg"), " ")
	return report.Machine{
		CPUs: runtime.NumCPU(), Model: line(read("/proc/cpuinfo"), "model name"), MemoryGiB: (kib + 1<<19) >> 20,
		Kernel: read("/proc/sys/kernel/osrelease"), Go: runtime.Version(), Kubernetes: s.kubernetes,
		Operator: strings.TrimSpace(string(version)), Load: minute, Profile: s.profile,
	}
}
