// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Command kubectl-sandbox is the kubectl plugin: kubectl sandbox.
package main

import (
	"context"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin"
)

func main() {
	// client-go logs errors that it also returns, and retries of watches that no user needs to see.
	klog.SetLogger(logr.Discard())
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	os.Exit(plugin.Run(context.Background(), os.Args, streams, clock.RealClock{}))
}
