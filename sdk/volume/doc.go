// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volume says what becomes of the PersistentVolumeClaims of sandboxes, lists them, and deletes those that nothing uses.
//
// Invariants:
//   - what is said to stay or to go is what the garbage collector does: the volume's owner reference decides, where it may be read;
//   - a volume that a Sandbox has, a Pod mounts or an expired claim gets back is not deleted, nor is one of which that cannot be told;
//   - a deletion names the UID and the version that was looked at: one that was taken meanwhile stays.
package volume
