// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Command sandbox-runtime lets clients run commands and move files in a sandbox over HTTP.
package main

import (
	"os"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/program"
)

func main() {
	os.Exit(program.Run(os.Getpid(), os.Args, os.Stdout, os.Stderr, clock.RealClock{}))
}
