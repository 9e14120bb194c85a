// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"k8s.io/utils/clock"
)

const (
	// maxMessage is how long a request may be: that of the largest file to write, with every byte escaped.
	maxMessage = 8*maxWritten + 1<<20
	// lastAnswers is how long the answers to requests may take after the end of the input.
	lastAnswers = 2 * time.Second
)

// transport is a transport that notices that the client is gone.
type transport struct {
	mcp.Transport

	clock clock.WithTicker
	gone  func()
}

// Connect implements mcp.Transport.
func (t transport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Connection: c, clock: t.clock, gone: t.gone}, nil
}

// connection is a connection whose input ends only when the requests before the end are answered. Otherwise the
// protocol would cancel them, although a shell that pipes requests into the server reads the answers.
type connection struct {
	mcp.Connection

	clock clock.WithTicker
	gone  func()

	mu      sync.Mutex
	pending int           // requests without an answer
	idle    chan struct{} // nil until the input ends; closed when nothing is pending
}

// Read implements mcp.Connection.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if err != nil {
		c.gone()
		c.awaitAnswers()
		return nil, err
	}
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pending++
	}
	return message, nil
}

// Write implements mcp.Connection.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if _, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.pending--; c.pending == 0 && c.idle != nil {
			close(c.idle)
		}
	}
	return err
}

func (c *connection) awaitAnswers() {
	c.mu.Lock()
	idle := make(chan struct{})
	if c.idle = idle; c.pending <= 0 {
		c.idle = nil
		close(idle)
	}
	c.mu.Unlock()
	timer := c.clock.NewTimer(lastAnswers)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C():
	}
}

// writeCloser is a writer that stays open.
type writeCloser struct{ io.Writer }

// Close implements io.Closer.
func (writeCloser) Close() error { return nil }
