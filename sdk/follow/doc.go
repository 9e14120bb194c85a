// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package follow tracks one sandbox for commands that outlive its Pod: it knows the current Pod while the sandbox is
// suspended and resumed, its Pod is replaced, and the API server restarts.
//
// Invariants:
//   - it follows one object: when that is gone, another claim or Sandbox of the same name is not followed;
//   - only a deleted sandbox is a final error; every other reason for a missing Pod may pass.
package follow
