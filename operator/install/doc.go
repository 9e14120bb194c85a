// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package install embeds the manifests of the operator and renders them for a cluster. The plugin applies what Render
// returns, and prints it for people who would rather apply it themselves.
//
// Invariants:
//   - rendering touches nothing: the same options give the same objects, in the order in which they must be created;
//   - every object carries the labels that Ours looks for, so that an uninstall removes nothing else;
//   - selectors never change between versions: only app is in them.
package install
