// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lag is a proxy between a client and one or more API servers, which answers as busy API servers behind a load balancer may:
// late, each request by another server, from a watch cache that is behind.
//
// Everything that it does is something that Kubernetes allows, so a client that fails behind it fails in production:
//   - a request takes time, and goes to any of the servers;
//   - each watch shows its events late, by a time of its own, so what one kind shows may be newer than what another shows;
//   - events of different objects of one watch change places; those of one object keep their order, and no bookmark overtakes an event;
//   - a list that accepts any version (resourceVersion=0, as informers ask) is answered with what was true some time ago, and the watch
//     that follows continues from there. Streaming lists are refused, as older servers do.
//
// Reads without a resourceVersion stay consistent, and writes are passed on as they are: Kubernetes promises that.
package lag
