// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/test/collector"
)

func TestSpansArriveWhereTheEnvironmentSays(t *testing.T) {
	for want, name := range map[string]string{"my-agent": "", "another": "another"} {
		t.Run(want, func(t *testing.T) {
			if name != "" {
				t.Setenv("OTEL_SERVICE_NAME", name)
			}
			received := collector.Start(t)
			provider, err := tracing.NewTracerProvider(t.Context(), "my-agent")
			if err != nil {
				t.Fatal(err)
			}
			_, span := provider.Tracer("x").Start(t.Context(), "work")
			span.End()
			if err := provider.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			spans := received.Spans(span.SpanContext().TraceID().String())
			if len(spans) != 1 || spans[0].Name != "work" || spans[0].Service != want {
				t.Errorf("got %+v", spans)
			}
		})
	}
}
