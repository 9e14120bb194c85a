// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package follow keeps an eye on one sandbox for commands that outlive its Pod: it knows which Pod the sandbox has at the
// moment, through suspension and resumption, replacement of the Pod and restarts of the API server.
//
// Invariants:
//   - it is one sandbox: another claim or Sandbox of the same name is not followed, the first one is gone;
//   - gone is final and an error; every other reason not to have a Pod may pass.
package follow
