// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package install embeds the manifests of the operator and renders them for a cluster. The plugin applies the objects
// that Render returns, or prints them for users who apply them themselves.
//
// Invariants:
//   - rendering is pure: the same options give the same objects, in the order in which they must be created;
//   - every object has the labels that IsOurs checks, so that an uninstall removes nothing else;
//   - selectors contain only the label app, so that they never change between versions.
package install
