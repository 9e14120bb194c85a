// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Machine is the time that all CPUs together have spent since the machine started, in clock ticks.
type Machine struct {
	Busy int64 // everything but idle; includes the time in which a hypervisor ran other machines
	All  int64
}

// ReadMachine reads the CPU time of this machine from /proc.
func ReadMachine() (Machine, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Machine{}, err
	}
	return parseMachine(string(stat))
}

// parseMachine reads the first line: user, nice, system, idle, iowait, irq, softirq, steal. The fields that may follow
// are part of user and nice.
func parseMachine(stat string) (Machine, error) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	const first, idle, wait, end = 1, 4, 5, 9
	if len(fields) < end || fields[0] != "cpu" {
		return Machine{}, errors.New("/proc/stat does not begin with the times of all CPUs")
	}
	used := Machine{}
	for i, field := range fields[first:end] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Machine{}, fmt.Errorf("/proc/stat: %w", err)
		}
		used.All += n
		if at := i + first; at != idle && at != wait {
			used.Busy += n
		}
	}
	return used, nil
}

// BusySince returns the share of all CPUs that was busy since the earlier reading, from 0 to 1.
func (m Machine) BusySince(before Machine) float64 {
	if m.All <= before.All {
		return 0
	}
	return float64(m.Busy-before.Busy) / float64(m.All-before.All)
}
