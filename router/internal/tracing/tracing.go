// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tracing records an OpenTelemetry span for each request. Its parent is the span of the client (W3C headers),
// and it is the parent of what the program in the sandbox records. Without tracing, those headers pass unchanged.
package tracing

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
)

// Attributes of spans.
const (
	attributeName      = attribute.Key("sandbox.name")
	attributeNamespace = attribute.Key("sandbox.namespace")
	attributeMethod    = attribute.Key("http.request.method")
	attributeStatus    = attribute.Key("http.response.status_code")
	attributePort      = attribute.Key("server.port")
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

// Setup returns a Tracer that exports spans over OTLP/gRPC. The environment variables of OpenTelemetry configure it, as
// they do for the operator. A missing collector is logged and is not an error.
func Setup(ctx context.Context, log logr.Logger) (*Tracer, error) {
	exporter, err := otlptracegrpc.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("create the trace exporter: %w", err)
	}
	res, err := resource.New(ctx,
		resource.WithAttributes(
			attribute.String("service.name", apis.AppRouter), attribute.String("service.version", buildinfo.Get().Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe the traced program: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Error(err, "export traces") }))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(res))
	return &Tracer{tracer: provider.Tracer(apis.AppRouter), shutdown: provider.Shutdown}, nil
}

// Shutdown exports the remaining spans, until the context ends.
func (t *Tracer) Shutdown(ctx context.Context) error {
	if err := t.shutdown(ctx); err != nil {
		return fmt.Errorf("shut down tracing: %w", err)
	}
	return nil
}

// Start starts the span of a request. The function ends it with the status of the response.
func (t *Tracer) Start(r *http.Request) (*http.Request, func(status int)) {
	if t.tracer == nil {
		return r, func(int) {}
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, apis.AppRouter+".proxy", trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attributeMethod.String(r.Method)))
	return r.WithContext(ctx), func(status int) {
		span.SetAttributes(attributeStatus.Int(status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(status))
		}
		span.End()
	}
}

// ID returns the ID of the trace that the span of the request belongs to, or "" without tracing.
func (t *Tracer) ID(ctx context.Context) string {
	if t.tracer == nil {
		return ""
	}
	return trace.SpanContextFromContext(ctx).TraceID().String()
}

// Describe adds the sandbox to the span of the request.
func (t *Tracer) Describe(ctx context.Context, namespace, name string, port uint16) {
	if t.tracer != nil {
		trace.SpanFromContext(ctx).SetAttributes(
			attributeNamespace.String(namespace), attributeName.String(name), attributePort.Int(int(port)))
	}
}

// Inject adds the span of the request to the headers that the Pod gets.
func (t *Tracer) Inject(ctx context.Context, headers http.Header) {
	if t.tracer != nil {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(headers))
	}
}
