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
//   - a Sandbox counts as a member, or is taken as one, because of what its labels or owner references say: its content decides;
//   - a Sandbox that nobody owns is deleted, unless it is a stale member as a pool of the name left it;
//   - a change of metadata replaces a member;
//   - anything is remembered of a pool that is gone.
package pool
