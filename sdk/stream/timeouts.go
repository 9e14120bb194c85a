// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"fmt"
	"time"
)

// Timeouts is how long a Client waits for signs of life.
type Timeouts struct {
	// Ping is how often the other end is asked whether it is there, once it has been silent for a third of Silence.
	PingInterval time.Duration
	// Silence is how long a connection may bring nothing, not even an answer to a ping, before it counts as lost. Time in which
	// nobody takes what it brings does not count.
	Idle time.Duration
	// Answer is how long the server may take to answer that a session begins.
	Response time.Duration
}

// DefaultTimeouts notices within a minute that nobody is there.
func DefaultTimeouts() Timeouts {
	return Timeouts{PingInterval: 5 * time.Second, Idle: 45 * time.Second, Response: 45 * time.Second}
}

// pingAfter is how long a connection is silent before it is asked.
func (p Timeouts) pingAfter() time.Duration { return p.Idle / 3 }

// WithTimeouts returns a client of the same server that waits as long as the patience says.
func (c *Client) WithTimeouts(patience Timeouts) *Client {
	return &Client{config: c.config, core: c.core, clock: c.clock, timeouts: patience}
}

// idleError is the cause of a connection's end that brought nothing.
func idleError(limit time.Duration) error {
	return fmt.Errorf("nothing has come for %v, not even an answer to a ping", limit)
}

// noResponseError is the error for a server that does not say whether the session begins. It may have begun.
func noResponseError(limit time.Duration) error {
	return &LostError{Cause: fmt.Errorf("the server has not answered for %v", limit)}
}
