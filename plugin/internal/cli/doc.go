// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cli holds what the commands share of the command line: flags and arguments, the selection of objects,
// completion, confirmation, waiting, interrupts and exit codes.
//
// Invariants:
//   - every selected object is tried, even if others fail;
//   - --all and --selector never select what a claim or a pool owns: that is reached through its owner;
//   - what a question shows is what is deleted: the objects are pinned by UID;
//   - completion never fails: without a cluster there are no suggestions;
//   - a command that hangs does not keep an interrupted process alive; a cleanup can delay the exit for a limited time;
//   - the exit codes are those of `help exit-codes`, or a remote command's own; an error without a code is a
//     failure (1).
package cli
