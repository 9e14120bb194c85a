// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package access decides who may send requests to a sandbox.
//
//   - A bearer token is the static one, a scoped token, or a token of Kubernetes, in this order; what says that it is a
//     scoped token is nothing else, and no other server gets to see it.
//   - A user of Kubernetes needs the permission to create sandboxes/proxy for the Sandbox, or sandboxclaims/proxy for
//     the claim that it belongs to.
//   - Whoever has no permission learns nothing about what exists: the answer is the same for what does not exist.
//   - Answers of the API server, positive and negative, are kept for a time that Config.TTL states, at most maxAnswers
//     of each kind. Failures to answer are not kept. Tokens are kept only as hashes.
package access
