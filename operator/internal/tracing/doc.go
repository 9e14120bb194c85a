// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tracing records OpenTelemetry spans that follow a client's request through claim, Sandbox and Pod.
//
// Invariants:
//   - decorators of the reconcilers and of their client create the spans: no reconciler depends on tracing;
//   - without tracing, nothing is decorated;
//   - the annotation opentelemetry.io/trace-context carries the context, as W3C headers in JSON. It is only added to
//     writes that happen anyway.
package tracing
