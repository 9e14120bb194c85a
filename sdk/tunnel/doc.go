// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tunnel forwards local TCP connections to ports of a sandbox.
//
// Invariants:
//   - each local connection has its own connection to the Pod: one that is refused or reset does not affect others;
//   - Dial chooses the current Pod, so a tunnel survives the replacement of the Pod;
//   - Run returns only after its listeners and connections are closed.
package tunnel
