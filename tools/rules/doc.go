// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rules tests the alert rules and the dashboard with Prometheus' own parsers. It is a module of its own, so that no other
// knows of Prometheus' dependencies.
package rules
