// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package transport makes the requests of a client outlive connections that break, and not outwait those that go silent.
//
// Invariants:
//   - what changes something or runs a program is sent once;
//   - what changes nothing is asked again while a connection breaks, for a bounded time;
//   - nobody waits for longer than the limits for a server that says nothing, over HTTP/1.1 either, which has no pings;
//   - a caller that gives up is obeyed at once.
package transport
