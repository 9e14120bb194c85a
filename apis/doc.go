// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apis spells the vocabulary of the system once: API groups, labels, annotations, condition types, reasons,
// messages, finalizers and field owners. The strings are a wire contract with every client of the two API groups.
//
// Invariants:
//   - no string of this vocabulary is spelled anywhere else in the module;
//   - the package imports nothing of ours, so that every other package may import it.
package apis
