// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package fakeserver

import (
	"os/exec"
	"syscall"
)

// lead lets a command lead a session and a group of processes of its own, as container runtimes do.
func lead(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
