// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package book is the address book of the router: which Sandbox a request is for, and where its Pod is.
//
// Two informers feed it. They may lag behind the API server, so the book says who a Sandbox is, and never where it is:
//
//   - a name or UID that the book does not know is looked up on the API server before the answer is "not found";
//   - a new connection goes to the addresses that the API server has for the Pod at that moment (Locate). A Pod counts
//     only if the Sandbox controls it by UID, and if it neither ends nor is being deleted: afterwards, its address may
//     be given to somebody else's Pod;
//   - a claim leads to a Sandbox only if the claim's status names the Sandbox's UID and the Sandbox names the claim's
//     UID;
//   - if the API server does not answer, DNS and the book have to agree on an address. Without either, there is no
//     connection.
package book
