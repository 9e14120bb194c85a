// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rules tests the alert rules, the dashboard and the rule of a metrics adapter in examples with the parsers of
// Prometheus. It is a separate module, so that no other module has the dependencies of Prometheus.
package rules
