// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package program is the command line of the runtime.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/runtime/initprocess"
	"github.com/agent-sandbox/kubectl-sandbox/runtime/server"
	"github.com/agent-sandbox/kubectl-sandbox/runtime/tracing"
)

// Exit codes of the program itself.
const (
	failed = 1
	usage  = 2
)

// tracingTimeout limits the last export of traces. With server.Run it has to end within the 30 seconds of a Pod.
const tracingTimeout = 5 * time.Second

// Run runs the program and returns its exit code. As process 1 it starts itself again and looks after all processes.
func Run(pid int, arguments []string, stdout, stderr io.Writer, clk clock.WithTicker) int {
	line := server.CommandLine{Config: server.Defaults()}
	flags := flag.NewFlagSet("sandbox-runtime", flag.ContinueOnError)
	flags.SetOutput(stderr)
	line.AddFlags(flags)
	err := flags.Parse(arguments[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return usage
	case flags.NArg() > 0:
		_, _ = fmt.Fprintf(stderr, "sandbox-runtime: unexpected argument %q\n", flags.Arg(0))
		return usage
	case line.Version:
		_, _ = fmt.Fprintln(stdout, buildinfo.Get())
		return 0
	}
	log := slog.New(slog.NewJSONHandler(stderr, nil))
	code, err := run(pid, arguments, line, log, clk)
	if err != nil {
		log.Error("exiting", "error", err.Error())
		return failed
	}
	return code
}

func run(pid int, arguments []string, line server.CommandLine, log *slog.Logger, clk clock.WithTicker) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	switch {
	case line.CopyTo != "":
		return 0, server.CopyProgram(self, line.CopyTo)
	case pid == 1:
		return initprocess.Run(self, arguments)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	log.Info("starting", "build", buildinfo.Get().String())
	tracer, err := tracing.Setup(ctx, os.LookupEnv, log)
	if err != nil { // a sandbox is worth more than its traces
		log.Error("no traces are exported", "error", err.Error())
	}
	defer shutdownTracer(ctx, tracer, log)
	return 0, server.Run(ctx, line.Config, tracer, log, clk)
}

// shutdownTracer exports the last spans. The context has ended.
func shutdownTracer(ctx context.Context, tracer *tracing.Tracer, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracingTimeout)
	defer cancel()
	if err := tracer.Shutdown(ctx); err != nil {
		log.Warn("the last traces are lost", "error", err.Error())
	}
}
