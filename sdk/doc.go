// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sdk is for Go programs that work with sandboxes: create one from a template, a warm pool or an image, or attach to
// one by its name; run commands, read and write files, suspend and resume it, and delete it. Everything goes through the API
// server, as with kubectl: nothing else needs to run in the cluster than the operator.
//
// A Client makes handles. A Sandbox is a handle: it holds a name and no connection, so a sandbox may be suspended for hours,
// its Pod be replaced, and another process may attach to it by the same name meanwhile.
//
// Invariants:
//   - what Create could not make ready it deletes; if that fails too, the error is ErrOrphaned and names what is left;
//   - Close lets operations that run come to their end, starts no new ones, and then deletes; Disconnect deletes nothing;
//   - a sandbox that was deleted and made anew under the same name is not the handle's;
//   - every error of a handle names the sandbox, and tells its kind to errors.Is.
package sdk
