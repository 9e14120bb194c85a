// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metrics exports Prometheus metrics of the operator.
//
// Invariants:
//   - a claim's latency is observed once, by the process that writes its first Ready: neither a restart nor a flapping
//     Pod repeats it;
//   - a scrape reads no objects: the watch updates the gauges, so the cost of a scrape depends only on the number of
//     series;
//   - labels are bounded: series are deleted with the template or the pool that they name, and the number of Sandbox
//     series is limited;
//   - only the leader exports gauges about the cluster, so that a sum over replicas is correct.
package metrics
