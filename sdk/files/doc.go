// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package files copies files and directories into and out of a container, with the programs that the image has: tar, or
// for single files cat and a shell.
//
// Files called archive_* read and write tar archives; remote_* run commands in the container, probe it and limit what
// is kept of their output; copy_* combine them; destination_*, source.go and source_matches.go are the two ends of a
// copy, and selection.go and exclude.go say what of a tree is copied. sync_* compare two trees, copy what differs and
// delete. The shell and Python programs that run in the container are in scripts.
//
// Invariants:
//   - nothing is written outside of the destination, whatever an archive contains and whatever symbolic links exist;
//   - the place of a copy depends on the paths, not on earlier copies: copying again gives the same tree;
//   - a local file gets its name only when it is complete;
//   - a copy succeeds only if the remote command reports success;
//   - what is excluded is neither written nor deleted, whatever the sandbox sends;
//   - a file is deleted only if it was listed, and both lists are complete; a directory only if it is empty.
package files
