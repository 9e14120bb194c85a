// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pool reconciles SandboxWarmPool objects: it keeps a number of unclaimed Sandboxes of a template, the pool's
// members.
//
// A reconcile is observe (reads), decide (a pure function that returns a plan), apply (writes) and report (one status
// write, and events from the difference). Between reconciles, expectations hold the writes that the cache does not show
// yet.
//
// Invariants (what must never happen):
//   - the pool creates members beyond its replicas: a member that is being created or deleted, or whose creation is in
//     doubt, counts;
//   - the pool deletes a Sandbox that a claim adopted: a deletion carries the UID and the resource version of the
//     decision;
//   - labels or owner references alone make a Sandbox a member, or adoptable: its content decides;
//   - the pool deletes a Sandbox without a controller, unless it is an outdated member that a pool of the same name
//     left unchanged;
//   - a change of metadata alone replaces a member;
//   - the process remembers anything about a deleted pool.
package pool
