// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package soak runs the load of a busy day within an hour: `make soak-cluster`. Some thirty claims and Sandboxes, each
// with a process that counts in its volume, are suspended, resumed and extended, and their Pods are deleted, at random.
// Meanwhile the node is drained, the operator is killed and the API server restarts. Workloads that expire are
// replaced.
//
// The test checks during the run and at its end:
//   - a volume that must be kept is the same volume, and its counter never decreases;
//   - a workload whose deadline has not passed exists;
//   - a workload that must be deleted at its deadline is gone soon after, with its Pod and its volume;
//   - a claim never moves to another Sandbox, and a Sandbox never has two Pods.
package soak
