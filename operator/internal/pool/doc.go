// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pool reconciles SandboxWarmPool objects: it keeps a number of unclaimed Sandboxes of a template, the pool's
// members.
//
// A reconcile is observe (reads), decide (a pure function that returns a plan), apply (writes) and report (one status
// write, and events from the difference). Between reconciles, expectations hold the writes that the cache does not show
// yet.
//
// Invariants:
//   - The pool never creates members beyond its replicas. A member that is being created or deleted, or whose creation
//     is in doubt, counts.
//   - The pool never deletes a Sandbox that a claim adopted. A deletion carries the UID and the resource version of the
//     decision.
//   - Labels or owner references alone never make a Sandbox a member, or adoptable. Its content decides.
//   - The pool never deletes a Sandbox without a controller, unless the Sandbox is an outdated and unchanged member of
//     a deleted pool of the same name.
//   - A change of metadata alone never replaces a member.
//   - The process keeps nothing in memory about a deleted pool.
package pool
