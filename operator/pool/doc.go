// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pool reconciles SandboxWarmPool objects: it keeps a number of unclaimed Sandboxes of a template.
//
// A pass is observe (reads) -> decide (a pure function to a plan) -> apply (writes) -> report (one status write, events from
// the difference). Between passes the memory holds what was written and no cache shows yet.
//
// Invariants (what must never happen):
//   - more members than replicas because of what we created: what is in flight, going or in doubt counts as a member;
//   - a Sandbox that a claim took is deleted: deletions carry the UID and the version that was judged;
//   - a Sandbox that nobody owns joins a pool with another content than the template's, or is deleted by one;
//   - a change of metadata replaces a member;
//   - anything is remembered of a pool that is gone.
package pool
