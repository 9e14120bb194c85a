// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package soak is a day of a busy cluster in an hour: `make soak-cluster`. Some thirty claims and Sandboxes, each with a volume in which
// its process counts, are suspended, resumed, extended and deprived of their Pods at random, while the node is drained, the operator is
// killed and the API server restarts. Those with an end reach it, and others take their place.
//
// What it holds, all along and at the end:
//   - a volume that was to stay is the same volume, and its counter never goes back;
//   - what has no end, or whose end has not come, is there;
//   - what is to go at its end is gone soon after, with its Pod and its volume;
//   - a claim never moves to another Sandbox, and a Sandbox never has two Pods.
package soak
