// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package store keeps the data of the dashboard: reflectors fill it, and it provides immutable snapshots.
//
// Invariants:
//   - a snapshot never changes after it is published, so reading it needs no lock;
//   - however many events arrive, at most one snapshot is made in each interval;
//   - only data that is shown is kept: managed fields, annotations and Pod specs are dropped before an object is
//     stored;
//   - a failed read (forbidden, not served, unreachable) is a state with a time and a message, never a fatal error:
//     reads are retried, and the data that was read before stays, marked as stale.
package store
