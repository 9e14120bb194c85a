// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package diagnose says in three layers (conditions, scheduling, containers) how a sandbox is, what stands in its way, and
// what to do next. It reads nothing: facts go in, a Diagnosis comes out.
//
// Invariants:
//   - the same facts give the same text;
//   - a fact that is missing (no permission, no such object) makes the diagnosis poorer, never wrong.
package diagnose
