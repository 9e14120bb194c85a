// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package installer installs the operator in a cluster, finds an installation and says what keeps it from working.
//
// Invariants:
//   - nothing is written before everything is checked: permissions, existing objects, and admission by the API server;
//   - an existing object that the installer did not create is never changed;
//   - a second run changes nothing.
package installer
