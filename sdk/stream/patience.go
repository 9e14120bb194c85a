// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"fmt"
	"time"
)

// Patience is how long a Client waits for signs of life.
type Patience struct {
	// Ping is how often the other end is asked whether it is there, once it has been silent for a third of Silence.
	Ping time.Duration
	// Silence is how long a connection may bring nothing, not even an answer to a ping, before it counts as lost. Time in which
	// nobody takes what it brings does not count.
	Silence time.Duration
	// Answer is how long the server may take to answer that a session begins.
	Answer time.Duration
}

// DefaultPatience notices within a minute that nobody is there.
func DefaultPatience() Patience {
	return Patience{Ping: 5 * time.Second, Silence: 45 * time.Second, Answer: 45 * time.Second}
}

// ask is how long a connection is silent before it is asked.
func (p Patience) ask() time.Duration { return p.Silence / 3 }

// Within returns a client of the same server that waits as long as the patience says.
func (c *Client) Within(patience Patience) *Client {
	return &Client{config: c.config, core: c.core, clock: c.clock, patience: patience}
}

// silent is the cause of a connection's end that brought nothing.
func silent(limit time.Duration) error {
	return fmt.Errorf("nothing has come for %v, not even an answer to a ping", limit)
}

// unanswered is the error for a server that does not say whether the session begins. It may have begun.
func unanswered(limit time.Duration) error {
	return &LostError{Cause: fmt.Errorf("the server has not answered for %v", limit)}
}
