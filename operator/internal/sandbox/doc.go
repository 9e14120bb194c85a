// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sandbox reconciles Sandbox objects: one Pod, its PersistentVolumeClaims and, when asked for, a headless Service.
//
// A pass is observe (reads) -> decide (a pure function to a plan) -> apply (writes) -> report (one status write). Running,
// suspended and expired are three wishes about the same children, not three code paths.
//
// Invariants (what must never happen):
//   - two Pods for one Sandbox: the Pod's name is derived from the Sandbox, so a second creation is refused by the API
//     server; the owner's UID decides which Pod is ours, names and annotations are hints;
//   - taking over an object that somebody else made without their word (a label);
//   - a volume that is to outlive its Sandbox goes with it, or one that somebody may have written to goes to a member of a pool;
//   - facts from a Pod that is not ours in the status;
//   - Suspended=True while a Pod may still be there;
//   - a status computed from an older object over a newer one: status patches carry the resource version.
package sandbox
