// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/process"
	"github.com/agent-sandbox/kubectl-sandbox/runtime/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/runtime/workspace"
)

const (
	// headerTimeout is how long a client may take to send the header of a request.
	headerTimeout = 10 * time.Second
	// stallTimeout is how long a client may take to send the next bytes of a body, or to take the next of an answer. It
	// does not apply to streams of commands, which may be silent for as long as the command is.
	stallTimeout = time.Minute
	// A client that has its answer may go on sending for lingerTimeout, until it sends nothing for quietTimeout.
	lingerTimeout = 2 * time.Second
	quietTimeout  = 50 * time.Millisecond
	// idleTimeout is how long a connection may wait for its next request.
	idleTimeout = 2 * time.Minute
	// shutdownTimeout is how long requests may take to end after SIGTERM. It is less than the 30 seconds that a Pod has.
	shutdownTimeout = 20 * time.Second

	maxHeader = 64 << 10
)

// server answers requests. Its fields do not change.
type server struct {
	config   Config
	files    *workspace.Directory
	runner   *process.Runner
	log      *slog.Logger
	clock    clock.WithTicker
	header   time.Duration // headerTimeout
	stall    time.Duration // stallTimeout
	shutdown time.Duration // shutdownTimeout
	origins  *http.CrossOriginProtection
	tracer   *tracing.Tracer
	stopped  context.Context // ends when the server begins to stop, and its commands with it
}

// Run serves until the context ends. Then it stops the running commands and lets other requests end.
func Run(
	ctx context.Context, config Config, tracer *tracing.Tracer, log *slog.Logger, clk clock.WithTicker,
) error {
	if err := config.Validate(); err != nil {
		return err
	}
	s, err := newServer(ctx, config, log, clk)
	if err != nil {
		return err
	}
	defer func() { _ = s.files.Close() }()
	s.tracer = tracer
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", config.Listen)
	if err != nil {
		return err
	}
	return s.serve(ctx, listener)
}

// newServer returns a server without tracing whose commands stop when the context ends.
func newServer(ctx context.Context, config Config, log *slog.Logger, clk clock.WithTicker) (*server, error) {
	root, err := filepath.Abs(config.Root)
	if err != nil {
		return nil, err
	}
	files, err := workspace.Open(root)
	if err != nil {
		return nil, fmt.Errorf("open the base directory: %w", err)
	}
	return &server{
		config: config, files: files, runner: process.NewRunner(root, config.KillAfter, clk), log: log, clock: clk,
		header: headerTimeout, stall: stallTimeout, shutdown: shutdownTimeout,
		origins: http.NewCrossOriginProtection(), tracer: tracing.Off(), stopped: ctx,
	}, nil
}

func (s *server) serve(ctx context.Context, listener net.Listener) error {
	web := s.web()
	s.log.Info("serving", "address", listener.Addr().String())
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.log.Info("stopping")
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.shutdown)
	defer cancel()
	if err := web.Shutdown(limited); err != nil {
		return errors.Join(fmt.Errorf("requests did not end within %v: %w", s.shutdown, err), web.Close())
	}
	return nil
}

// web returns the server for the clients.
func (s *server) web() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: s.header, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ConnContext: withConnection,
	}
}
