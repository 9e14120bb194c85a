// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package resolve is the one place that turns what a user calls a sandbox into the objects behind it: claim, Sandbox, Pod
// and container.
//
// Invariants:
//   - a Pod belongs to a Sandbox when the Sandbox's UID controls it; its name and the pod-name annotation are hints only;
//   - clusters without the extensions' CRDs, and users who may not read claims, still reach Sandboxes;
//   - an error says what is wrong, why, and as NextStep what to do.
package resolve
