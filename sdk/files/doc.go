// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package files copies files and directories into and out of a container, with the programs that the image has: tar, or
// for single files cat and a shell.
//
// Files called archive_* read and write tar archives; remote_* run commands in the container, probe it and limit what
// is kept of their output; copy_* combine them; destination_* and source.go are the two ends of a copy. The shell and
// Python programs that run in the container are in scripts.
//
// Invariants:
//   - nothing is written outside of the destination, whatever an archive contains and whatever symbolic links exist;
//   - the place of a copy depends on the paths, not on earlier copies: copying again gives the same tree;
//   - a local file gets its name only when it is complete;
//   - a copy succeeds only if the remote command reports success.
package files
