// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package store keeps what the dashboard shows: reflectors feed it, and it hands out immutable snapshots.
//
// Invariants:
//   - a snapshot never changes once it is handed out, and nobody needs a lock to read it;
//   - however many events arrive, a snapshot is made at most once in each interval;
//   - only what is shown is kept: managed fields, annotations and Pod specs are dropped before anything is stored;
//   - what cannot be read (forbidden, not served, unreachable) is a state with a time and a message, never an error that ends
//     anything: reading goes on being tried, and what was read before stays, marked as stale.
package store
