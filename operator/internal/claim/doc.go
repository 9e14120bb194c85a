// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package claim reconciles SandboxClaim objects: each gets one Sandbox, a warm one from a pool where there is one.
//
// A pass is observe (reads) -> nextStep (a pure function to one of a closed set of steps) -> take (writes) -> report (one
// status write).
//
// Invariants (what must never happen):
//   - a claim owns two Sandboxes: the name of the Sandbox is recorded on the claim, with a locked write, before the Sandbox is
//     taken or created, and while a record stands no other Sandbox is tried;
//   - a Sandbox has two owners: it changes hands in one locked write over a version in which the pool held it;
//   - the record is dropped while the Sandbox it names may still become ours: the API server, not the cache, says it is gone;
//   - another member of a pool in the pass that lost one;
//   - an empty Sandbox for a claim whose volumes outlived its own: it is made anew under the same name;
//   - status.sandbox.name cleared because something went wrong;
//   - another template's label on a bound Sandbox because somebody edited the claim: what the Sandbox was made from decides;
//   - another Sandbox for a claim whose Sandbox is there: what was taken from the claim is taken back;
//   - the Pod's spec of a bound claim's Sandbox follows its template: after the hand-over only labels and annotations do, with the claim's
//     own on top.
package claim
