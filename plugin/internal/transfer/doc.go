// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package transfer has what the commands that copy files share: how a path names a sandbox, what is left out, progress,
// and what happens after a lost connection.
package transfer
