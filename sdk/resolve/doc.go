// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package resolve is the only place that turns a user's name for a sandbox into the objects behind it: claim, Sandbox,
// Pod and container.
//
// Invariants:
//   - a Pod belongs to a Sandbox if the Sandbox's UID controls it; its name and the pod-name annotation are only hints;
//   - Sandboxes can be resolved in clusters without the extension CRDs, and by users who may not read claims;
//   - an error says what is wrong and why, and NextStep what to do.
package resolve
