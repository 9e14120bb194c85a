// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package proxy sends a request on to the Pod of a Sandbox, and the response back.
//
//   - Nothing is kept whole: bodies pass in both directions at the same time, in pieces of bufferSize.
//   - A request is written to a Pod at most once. Only dialing is repeated.
//   - A connection belongs to one Sandbox, by its UID, and is never used for another one, whatever addresses they get.
//   - The target is where package book locates the Pod at the moment of dialing, never what a client says.
//   - Path and query stay as they are, byte for byte. Redirects are answers like others.
//   - Authorization and hop-by-hop headers end here.
package proxy
