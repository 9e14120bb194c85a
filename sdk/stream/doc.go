// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stream is the one way to the inside of a container: commands with their standard streams, and connections to
// ports. Everything that execs, attaches or forwards goes through Network.
//
// Invariants:
//   - what may be much goes over SPDY, the rest over WebSocket; the other follows only when the handshake failed, never after a byte was
//     exchanged;
//   - success is what the remote end reported: a connection that ends without a status is a LostError;
//   - every byte of output that arrived before the end was written before Exec returns;
//   - standard input is delivered to its last byte and then closed.
package stream
