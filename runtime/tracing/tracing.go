// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tracing records an OpenTelemetry span for each request to the runtime. Its parent is the span of the client,
// usually the router (W3C headers).
//
// Invariants: spans have no command, no output and no path; without a collector in the environment nothing is recorded;
// a collector that does not answer delays no request.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/apis/otlp"
)

// service is the name of the service, and the beginning of the names of spans.
const service = "sandbox-runtime"

// Attributes of spans.
const (
	attributeMethod   = attribute.Key("http.request.method")
	attributeRoute    = attribute.Key("http.route")
	attributeStatus   = attribute.Key("http.response.status_code")
	attributeExitCode = attribute.Key("sandbox.exit_code")
)

// Tracer records spans. The one that Off returns records none. It is safe for concurrent use.
type Tracer struct {
	tracer   trace.Tracer // nil: tracing is off
	shutdown func(context.Context) error
}

// Off returns a Tracer that does nothing.
func Off() *Tracer {
	return &Tracer{shutdown: func(context.Context) error { return nil }}
}

// Setup returns a Tracer that exports spans to the collector in the environment, if there is one. A collector that does
// not answer is logged and is not an error. With an error the Tracer does nothing.
func Setup(ctx context.Context, lookup func(string) (string, bool), log *slog.Logger) (*Tracer, error) {
	if !otlp.Enabled(lookup) {
		return Off(), nil
	}
	exporter, err := newExporter(ctx, lookup)
	if err != nil {
		return Off(), fmt.Errorf("create the trace exporter: %w", err)
	}
	res, err := resource.New(ctx,
		resource.WithAttributes(
			attribute.String("service.name", service), attribute.String("service.version", buildinfo.Get().Version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return Off(), fmt.Errorf("describe the traced program: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("export traces", "error", err.Error()) }))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(res))
	return &Tracer{tracer: provider.Tracer(service), shutdown: provider.Shutdown}, nil
}

// Shutdown exports the remaining spans, until the context ends.
func (t *Tracer) Shutdown(ctx context.Context) error {
	if err := t.shutdown(ctx); err != nil {
		return fmt.Errorf("shut down tracing: %w", err)
	}
	return nil
}

// Start starts the span of a request for an operation of the contract. The function ends it with the status of the
// response.
func (t *Tracer) Start(r *http.Request, operation, route string) (*http.Request, func(status int)) {
	if t.tracer == nil {
		return r, func(int) {}
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, service+"."+operation, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attributeMethod.String(r.Method), attributeRoute.String(route)))
	return r.WithContext(ctx), func(status int) {
		span.SetAttributes(attributeStatus.Int(status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(status))
		}
		span.End()
	}
}

// ID returns the ID of the trace that the span of a request belongs to, or "" without tracing.
func ID(ctx context.Context) string {
	if is := trace.SpanContextFromContext(ctx); is.IsValid() {
		return is.TraceID().String()
	}
	return ""
}

// Exited adds the exit code of a command to the span of its request.
func Exited(ctx context.Context, code int) {
	trace.SpanFromContext(ctx).SetAttributes(attributeExitCode.Int(code))
}
