// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package diagnose determines in three layers (conditions, scheduling, containers) the state of a sandbox, what keeps
// it from being ready, and what to do next. It reads nothing: it turns a Snapshot into a Diagnosis.
//
// Invariants:
//   - the same snapshot gives the same text;
//   - an object that is missing (no permission, or it does not exist) makes the diagnosis less precise, never wrong;
//   - decisions follow from reasons, counts and objects, never from the text of a message.
package diagnose
