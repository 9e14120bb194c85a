// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package screen

import (
	"os/exec"
	"syscall"
)

// start starts the program with the terminal as its controlling terminal, so that it gets SIGWINCH and SIGHUP.
func start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return cmd.Start()
}
