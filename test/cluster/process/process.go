// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package process records processes across runs of the command.
//
// Invariant: a signal goes only to the process that was recorded. Because a PID may be reused, the start time of the
// process is recorded with it and compared before each signal.
package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Record identifies one process for as long as the machine runs.
type Record struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks after boot
	Boot  string `json:"boot"`  // ID of the boot to which Start is relative
}

// Of returns the record of the running process with the PID.
func Of(pid int) (Record, error) {
	start, err := startTime("/proc", pid)
	if err != nil {
		return Record{}, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Record{}, fmt.Errorf("read boot id: %w", err)
	}
	return Record{PID: pid, Start: start, Boot: strings.TrimSpace(string(boot))}, nil
}

// Alive reports whether the recorded process still runs. A zombie does not count as running.
func (r Record) Alive() bool {
	if r.PID <= 0 {
		return false
	}
	now, err := Of(r.PID)
	return err == nil && now == r
}

// Kill sends SIGKILL to the process and waits until it is gone, at most for the given time. It succeeds if the process
// has already ended.
func (r Record) Kill(most time.Duration) error {
	if !r.Alive() {
		return nil
	}
	if err := syscall.Kill(r.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill process %d: %w", r.PID, err)
	}
	for deadline := time.Now().Add(most); r.Alive(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("process %d still exists %s after SIGKILL", r.PID, most)
		}
	}
	return nil
}

// Save writes the record to a file atomically.
func (r Record) Save(path string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Load reads the record that Save wrote. It returns the zero Record, which is never alive, for a missing or invalid
// file.
func Load(path string) Record {
	var r Record
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &r) != nil {
		return Record{}
	}
	return r
}

// errZombie is the error for a process that has ended and that its parent has not waited for.
var errZombie = errors.New("process has ended")

// startTime reads field 22 of /proc/PID/stat. The second field may contain spaces and parentheses, so counting begins
// after the last parenthesis.
func startTime(proc string, pid int) (uint64, error) {
	data, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, fmt.Errorf("read state of process %d: %w", pid, err)
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	const state, start = 0, 19 // fields 3 and 22, counted from the third
	if len(fields) <= start {
		return 0, fmt.Errorf("state of process %d has %d fields", pid, len(fields))
	}
	if fields[state] == "Z" || fields[state] == "X" {
		return 0, errZombie
	}
	return strconv.ParseUint(fields[start], 10, 64)
}
