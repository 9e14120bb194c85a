// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Process finds the process of a Pod that runs the program on this machine, by the Pod's UID in its control group.
func Process(pod types.UID, program string) (pid int, found bool) {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, entry := range entries {
		cmdline, err := os.ReadFile(filepath.Join(entry, "cmdline"))
		if err != nil || !bytes.HasPrefix(cmdline, []byte(program+"\x00")) {
			continue
		}
		group, err := os.ReadFile(filepath.Join(entry, "cgroup"))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(group), "_", "-"), string(pod)) {
			continue
		}
		pid, err = strconv.Atoi(filepath.Base(entry))
		return pid, err == nil
	}
	return 0, false
}
