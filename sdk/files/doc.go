// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package files copies files and directories into a container and out of it, with what the image has: tar, or for single
// files cat and a shell.
//
// Invariants:
//   - nothing is written outside of the destination, whatever an archive contains and whatever symbolic links are there;
//   - where a copy goes depends on the paths, never on how often it was made: copying again gives the same tree;
//   - a local file gets its name only when it is complete;
//   - a copy succeeded only if the remote command said so.
package files
