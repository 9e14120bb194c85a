// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volume notes on PersistentVolumeClaims that outlived their Sandbox since when they are unused, so that people can tell what
// to delete. The Sandbox that takes one takes the note off: see package sandbox.
//
// A pass is observe (reads) -> decide (a pure function) -> apply (one write at most); a volume has no status of ours to report.
//
// Invariants (what must never happen):
//   - a volume is deleted, or its spec changed;
//   - one that a Sandbox has, or is about to take, is called unused: the API server is asked before the note is written;
//   - a volume that is not labelled as ours is written to.
package volume
