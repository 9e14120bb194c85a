// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sandbox reconciles Sandbox objects: one Pod, its PersistentVolumeClaims and, if the spec asks for it, a
// headless Service.
//
// A reconcile is observe (reads) -> decide (a pure function that returns a plan) -> apply (writes) -> report (one
// status write). Running, suspended and expired are three desired states of the same children, not three code paths.
//
// These things must never happen:
//   - A Sandbox has two Pods. The Pod's name is derived from the Sandbox, so the API server rejects a second creation.
//     The owner's UID decides which Pod belongs to the Sandbox; names and annotations are hints.
//   - The Sandbox takes over an object that somebody else created and that no label offers to it.
//   - A retained volume is deleted with its Sandbox, or a volume that may hold data goes to a member of a pool.
//   - The status describes a Pod that does not belong to the Sandbox.
//   - Suspended is True while a Pod may still exist.
//   - A status computed from an old object overwrites a newer one: status patches carry the resource version.
package sandbox
