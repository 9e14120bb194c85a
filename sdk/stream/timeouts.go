// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"fmt"
	"time"
)

// Timeouts limit how long a Client waits for a sign of life.
type Timeouts struct {
	// PingInterval is how often pings are sent once the connection has been idle for a third of Idle.
	PingInterval time.Duration
	// Idle is how long a connection may receive nothing, not even the answer to a ping, before it counts as lost. Time
	// in which the caller does not read does not count.
	Idle time.Duration
	// Response is how long the server may take to accept a session.
	Response time.Duration
}

// DefaultTimeouts detect a lost connection within a minute.
func DefaultTimeouts() Timeouts {
	return Timeouts{PingInterval: 5 * time.Second, Idle: 45 * time.Second, Response: 45 * time.Second}
}

// pingAfter is how long a connection is idle before pings are sent.
func (p Timeouts) pingAfter() time.Duration { return p.Idle / 3 }

// WithTimeouts returns a client of the same server with other timeouts.
func (c *Client) WithTimeouts(timeouts Timeouts) *Client {
	return &Client{config: c.config, core: c.core, clock: c.clock, timeouts: timeouts}
}

// idleError is the cause of a connection that ended because it was idle.
func idleError(limit time.Duration) error {
	return fmt.Errorf("nothing has come for %v, not even an answer to a ping", limit)
}

// noResponseError is the error for a server that does not say whether the session started. It may have.
func noResponseError(limit time.Duration) error {
	return &LostError{Cause: fmt.Errorf("the server has not answered for %v", limit)}
}
