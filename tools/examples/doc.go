// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package examples checks the examples for other projects with these projects' own code: Open Policy Agent evaluates
// the rules for Gatekeeper, and the objects of Kueue and Ray are decoded into their types. It is a module of its own,
// so that these dependencies are not in the product's go.mod.
package examples
