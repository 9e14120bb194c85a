// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package transport makes requests survive broken connections, and not wait for servers that have gone silent.
//
// Invariants:
//   - a request that changes something or runs a program is sent once;
//   - a request that changes nothing is repeated while connections break, for a limited time;
//   - no request waits longer than the limits for a silent server, also over HTTP/1.1, which has no pings;
//   - a cancelled request returns at once.
package transport
