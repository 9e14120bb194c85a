// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lag is a proxy between a client and one or more API servers. It responds as busy API servers behind a load
// balancer may: late, with each request handled by another server, and from a watch cache that lags behind.
//
// Kubernetes allows everything that the proxy does, so a client that fails behind it also fails in production:
//   - a request is delayed, and goes to any of the servers;
//   - each watch delays its events by a different time, so one kind may be newer than another;
//   - events of different objects in one watch may be reordered; those of one object keep their order, and no event
//     crosses a bookmark;
//   - a list that accepts any version (resourceVersion=0, as informers request it) returns an older state, and the
//     watch that follows continues from there. Streaming lists are refused, as older servers do.
//
// Reads without a resourceVersion stay consistent and writes are passed on unchanged, because Kubernetes guarantees
// both.
package lag
