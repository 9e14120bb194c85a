// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package confine

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// closeInheritedOnExec prevents components from inheriting this process's open files. Otherwise a component would hold
// the lock of `flock FILE testcluster up`, or the pipe of a CI job, as long as the cluster is up.
func closeInheritedOnExec() error {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list open files: %w", err)
	}
	for _, one := range open {
		if fd, err := strconv.Atoi(one.Name()); err == nil && fd > syscall.Stderr {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
