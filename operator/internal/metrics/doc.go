// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metrics counts and times what the operator does, for Prometheus.
//
// Invariants:
//   - a claim is timed once, by the process whose write made it Ready for the first time: neither a restart nor a Pod that flaps
//     counts it again;
//   - a scrape looks at no object: gauges follow the watch, so its cost depends on the number of series alone;
//   - labels are bounded: series go with the template or the pool they name, and the number of Sandbox series has a limit;
//   - only the leader reports what it sees in the cluster, so that sums over replicas are right.
package metrics
