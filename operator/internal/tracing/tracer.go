// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
)

// Tracer records spans. The one that Off returns records none. Safe for concurrent use.
type Tracer struct {
	tracer   trace.Tracer // nil: tracing is off
	shutdown func(context.Context) error
}

// Off returns a Tracer that decorates nothing.
func Off() *Tracer {
	return &Tracer{shutdown: func(context.Context) error { return nil }}
}

// Setup returns a Tracer that exports spans over OTLP/gRPC, in batches. The environment variables of OpenTelemetry
// configure it: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_INSECURE, OTEL_TRACES_SAMPLER,
// OTEL_RESOURCE_ATTRIBUTES. A missing collector is logged and is not an error.
func Setup(ctx context.Context, log logr.Logger) (*Tracer, error) {
	exporter, err := otlptracegrpc.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("create the trace exporter: %w", err)
	}
	res, err := resource.New(ctx,
		resource.WithAttributes(
			attribute.String("service.name", apis.OperatorName), attribute.String("service.version", buildinfo.Get().Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe the traced program: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Error(err, "export traces") }))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(res))
	return &Tracer{tracer: provider.Tracer(apis.OperatorName), shutdown: provider.Shutdown}, nil
}

// Shutdown exports the remaining spans, until the context ends.
func (t *Tracer) Shutdown(ctx context.Context) error {
	if err := t.shutdown(ctx); err != nil {
		return fmt.Errorf("shut down tracing: %w", err)
	}
	return nil
}

// carrierKey is the context key of the annotation value for written objects.
type carrierKey struct{}

// extractContext returns a context with the trace of the object's annotation. Without a valid one, a new trace starts.
func extractContext(ctx context.Context, object client.Object) context.Context {
	carrier := propagation.MapCarrier{}
	if err := json.Unmarshal([]byte(object.GetAnnotations()[apis.AnnotationTraceContext]), &carrier); err != nil {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, carrier)
}

// injectContext stores the annotation value for written objects in the context.
func injectContext(ctx context.Context) context.Context {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return ctx
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	raw, err := json.Marshal(carrier)
	if err != nil {
		return ctx // a map of strings is always JSON
	}
	return context.WithValue(ctx, carrierKey{}, string(raw))
}

// annotate adds the trace context to an object that has none.
func annotate(ctx context.Context, object client.Object) {
	carried, ok := ctx.Value(carrierKey{}).(string)
	if !ok || object.GetAnnotations()[apis.AnnotationTraceContext] != "" {
		return
	}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[apis.AnnotationTraceContext] = carried
	object.SetAnnotations(annotations)
}
