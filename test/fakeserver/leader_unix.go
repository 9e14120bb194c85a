// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package fakeserver

import (
	"os/exec"
	"syscall"
)

// lead makes a command the leader of a session and a process group, as container runtimes do.
func lead(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
