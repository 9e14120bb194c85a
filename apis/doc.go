// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apis defines the strings of the wire contract with every client of the two API groups: API groups, labels,
// annotations, condition types, reasons, messages and field owners.
//
// Invariants:
//   - none of these strings is spelled anywhere else in the module, except in tests;
//   - the package imports no other package of the module, so that every package may import it.
package apis
