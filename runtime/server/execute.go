// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/process"
	"github.com/agent-sandbox/kubectl-sandbox/runtime/tracing"
)

// Exit codes of commands that did not end by themselves, as shells and timeout(1) have them.
const (
	exitNotStarted = 1
	exitTimeout    = 124
	exitKilled     = 137
	exitTerminated = 143
)

// Why a command was stopped.
var (
	errTimeout  = errors.New("it ran for longer than it may")
	errOutput   = errors.New("it wrote more than an answer may have")
	errShutdown = errors.New("the runtime stops")
	errClosed   = errors.New("the client is gone")
)

// limited returns a context that ends when the command has to, with the reason as its cause.
func (s *server) limited(ctx context.Context, wanted Execution) (context.Context, context.CancelCauseFunc) {
	limit := s.config.CommandTimeout
	if wanted.TimeoutSeconds != nil {
		own := time.Duration(*wanted.TimeoutSeconds * float64(time.Second))
		if limit == 0 || own < limit {
			limit = own
		}
	}
	release := func() {}
	if limit > 0 {
		why := fmt.Errorf("%w: %v", errTimeout, limit)
		ctx, release = context.WithTimeoutCause(ctx, limit, why)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.stopped, func() { cancel(errShutdown) })
	return ctx, func(cause error) {
		cancel(cause)
		stop()
		release()
	}
}

// run runs a command and returns its exit code, and for a command that did not end by itself the reason.
func (s *server) run(ctx context.Context, text string, command process.Command) (code int, reason string) {
	defer func() { tracing.Exited(ctx, code) }()
	var err error
	if command.Args, err = process.Split(text); err != nil {
		return exitNotStarted, err.Error()
	}
	result, err := s.runner.Run(ctx, command)
	if err != nil {
		return exitNotStarted, err.Error()
	}
	switch {
	case result.Stopped == nil:
		return result.ExitCode, ""
	case errors.Is(result.Stopped, errTimeout):
		code = exitTimeout
	case errors.Is(result.Stopped, errShutdown):
		code = exitTerminated
	default:
		code = exitKilled
	}
	return code, "the command was stopped: " + result.Stopped.Error()
}

// report is the line that tells the reader of the standard error why a command did not end by itself.
func report(reason string) string { return "sandbox-runtime: " + reason + "\n" }

func (s *server) execute(w http.ResponseWriter, r *http.Request, _ string) {
	wanted, err := s.execution(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	ctx, stop := s.limited(r.Context(), wanted)
	defer stop(nil)
	captured := &capture{left: s.config.MaxOutput, full: func() {
		stop(fmt.Errorf("%w: %d bytes; /execute/stream has no limit", errOutput, s.config.MaxOutput))
	}}
	code, reason := s.run(ctx, *wanted.Command, process.Command{
		Stdout: captured.to(&captured.stdout), Stderr: captured.to(&captured.stderr),
	})
	if reason != "" {
		if text := captured.stderr.Bytes(); len(text) > 0 && text[len(text)-1] != '\n' {
			captured.stderr.WriteByte('\n')
		}
		captured.stderr.WriteString(report(reason))
	}
	reply(w, http.StatusOK, Outcome{
		Stdout: captured.stdout.String(), Stderr: captured.stderr.String(), ExitCode: code,
	})
}

// capture keeps the outputs of a command up to a limit for both together.
type capture struct {
	mu             sync.Mutex
	left           int64
	stdout, stderr bytes.Buffer
	full           func() // called when there is more
}

type writer func([]byte) (int, error)

func (w writer) Write(data []byte) (int, error) { return w(data) }

// to returns the writer of one of the buffers. It takes everything and discards what is too much.
func (c *capture) to(buffer *bytes.Buffer) io.Writer {
	return writer(func(data []byte) (int, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		kept := min(int64(len(data)), c.left)
		c.left -= kept
		buffer.Write(data[:kept])
		if kept < int64(len(data)) {
			c.full()
		}
		return len(data), nil
	})
}
