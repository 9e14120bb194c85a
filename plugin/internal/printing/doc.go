// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package printing prints what commands show: lists as tables or in kubectl's formats, pages of text, diagnoses and
// errors.
//
// Invariant: in a format for programs, a list is one document of kind List, even if it is empty.
package printing
