// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rules tests the alert rules and the dashboard with the parsers of Prometheus. It is a separate module, so
// that no other module has the dependencies of Prometheus.
package rules
