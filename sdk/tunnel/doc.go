// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tunnel carries local TCP connections to ports of a sandbox.
//
// Invariants:
//   - each local connection has a connection to the Pod of its own: one that is refused or reset disturbs no other;
//   - who dials decides which Pod it is at that moment, so a tunnel survives the replacement of the Pod;
//   - Run returns only after its listeners and connections are closed.
package tunnel
