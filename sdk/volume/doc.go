// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volume lists the PersistentVolumeClaims of sandboxes, says what happens to them, and deletes those that
// nothing uses.
//
// Invariants:
//   - what is reported to stay or to go is what garbage collection does: the volume's owner reference decides, if it
//     may be read;
//   - a volume that a Sandbox uses, a Pod mounts or an expired claim gets back is not deleted, nor one whose use is
//     unknown;
//   - a deletion names the UID and the version that was read: a volume that was taken since then stays.
package volume
