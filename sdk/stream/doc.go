// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stream is the only way into a container: it runs commands with their standard streams, and connects to ports.
// All exec, attach and port-forward requests go through Network.
//
// Invariants:
//   - bulk data uses SPDY, the rest WebSocket; the other protocol is tried only if the handshake failed, never after a
//     byte was exchanged;
//   - success is what the remote end reported: a connection that ends without a status is a LostError;
//   - all output that arrived before the end is written before Exec returns;
//   - standard input is delivered completely and then closed.
package stream
