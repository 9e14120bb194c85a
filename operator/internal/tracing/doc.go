// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tracing follows one request from the client that made it through claim, Sandbox and Pod, as OpenTelemetry spans.
//
// Invariants:
//   - spans are made by decorators, around reconcilers and around their client: no reconciler knows of them;
//   - what is off is not there: without tracing nothing is decorated;
//   - the context travels in the annotation opentelemetry.io/trace-context, as W3C headers in JSON; it is only ever put into a write
//     that happens anyway.
package tracing
