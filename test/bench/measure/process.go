// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Process is the resource usage of a process so far.
type Process struct {
	CPU      time.Duration // in user and kernel mode, by all threads
	Resident int64         // bytes in memory now
	Peak     int64         // the maximum of Resident
}

// ticks is the number of clock ticks a second, the unit of /proc/PID/stat on every Linux that Go supports.
const ticks = 100

// ReadProcess reads the resource usage of a running process from /proc.
func ReadProcess(pid int) (Process, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Process{}, err
	}
	return parseProcess(stat, status)
}

// ReadPID reads the record that testcluster writes of a component's process.
func ReadPID(path string) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var record struct {
		PID int `json:"pid"`
	}
	if err := json.Unmarshal(data, &record); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if record.PID <= 0 {
		return 0, fmt.Errorf("%s names no process", path)
	}
	return record.PID, nil
}

// parseProcess counts fields from the last parenthesis, because a program's name may contain spaces and parentheses.
func parseProcess(stat, status []byte) (Process, error) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const user, kernel = 11, 12 // fields 14 and 15, counted from the third
	if len(fields) <= kernel {
		return Process{}, fmt.Errorf("stat has %d fields", len(fields))
	}
	used := Process{}
	for _, field := range fields[user : kernel+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Process{}, fmt.Errorf("stat: %w", err)
		}
		used.CPU += time.Duration(n) * time.Second / ticks
	}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		into, wanted := map[string]*int64{"VmRSS": &used.Resident, "VmHWM": &used.Peak}[key]
		if !wanted {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return Process{}, fmt.Errorf("status %s: %w", key, err)
		}
		*into = kib << 10
	}
	return used, nil
}

// readFrom returns the complete lines of a file from offset on, and the offset after them. An incomplete last line is
// left for the next call.
func readFrom(path string, offset int64) ([]byte, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, offset, err
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, offset, err
	}
	data, err := io.ReadAll(file)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, offset, err
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	return data, offset + int64(len(data)), nil
}
