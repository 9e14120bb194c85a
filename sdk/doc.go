// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sdk lets Go programs work with sandboxes: create one from a template, a warm pool or an image, or attach to
// one by name; run commands, read and write files, connect to ports, suspend and resume the sandbox, and delete it.
// Requests go through the API server, as with kubectl: the cluster needs only the operator. Those over HTTP can go
// through the router instead (WithConnection).
//
// A Client returns handles. A Sandbox is a handle: it holds a name and no connection. So a sandbox may be suspended for
// hours, its Pod may be replaced, and another process may attach to it by the same name.
//
// This package and await, capacity, connect, diagnose, files, follow, observe, operator, pool, printable, resolve,
// runtimeclient, sandbox, signals, stream, terminal, tracing, transport, tunnel and volume below it are public. Before
// v1.0 a minor release may change their identifiers, and the changelog says how; this package changes least. Packages
// below internal are not for others.
//
// Invariants:
//   - Create deletes a sandbox that does not become ready; if that fails too, the error is ErrOrphaned and names the
//     sandbox, and DeleteAll tries again;
//   - Close lets running operations finish, starts no new ones, and then deletes; Disconnect deletes nothing;
//   - no operation waits for ever for what is gone, and none ends because it is slow;
//   - a command is sent once; what is the same to do twice is tried again;
//   - a handle never switches to another sandbox that was created later under the same name;
//   - every error of a handle names the sandbox, and errors.Is reports its kind.
package sdk
