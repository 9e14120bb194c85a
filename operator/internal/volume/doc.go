// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volume annotates PersistentVolumeClaims that outlived their Sandbox with the time since which they are
// unused, so that users can decide which ones to delete. Package sandbox removes the annotation when a Sandbox adopts
// the volume.
//
// A reconcile is observe (reads) -> decide (a pure function) -> apply (at most one write). There is no status to
// report.
//
// These things must never happen:
//   - A volume is deleted, or its spec is changed.
//   - A volume that a Sandbox has, or is about to adopt, is annotated as unused: the API server confirms that there is
//     none.
//   - A volume without our labels is changed.
package volume
