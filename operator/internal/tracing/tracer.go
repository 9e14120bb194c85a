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

// Tracer makes spans, or none: see Off. Safe for concurrent use.
type Tracer struct {
	tracer   trace.Tracer // nil: tracing is off
	shutdown func(context.Context) error
}

// Off returns a Tracer that decorates nothing.
func Off() *Tracer {
	return &Tracer{shutdown: func(context.Context) error { return nil }}
}

// Setup returns a Tracer that sends spans over OTLP/gRPC, in batches. The environment configures it as OpenTelemetry says:
// OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_INSECURE, OTEL_TRACES_SAMPLER, OTEL_RESOURCE_ATTRIBUTES. A collector that is not
// there is an entry in the log, no error.
func Setup(ctx context.Context, log logr.Logger) (*Tracer, error) {
	exporter, err := otlptracegrpc.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(
			attribute.String("service.name", apis.OperatorName), attribute.String("service.version", buildinfo.Get().Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("tracing: describe this program: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Error(err, "traces are lost") }))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return &Tracer{tracer: provider.Tracer(apis.OperatorName), shutdown: provider.Shutdown}, nil
}

// Shutdown sends what has not been sent, until the context ends.
func (t *Tracer) Shutdown(ctx context.Context) error {
	if err := t.shutdown(ctx); err != nil {
		return fmt.Errorf("tracing: %w", err)
	}
	return nil
}

// carrierKey is where a pass keeps the value of the annotation that its writes carry on.
type carrierKey struct{}

// extractContext continues the trace that an object carries. What is no trace context begins a new one.
func extractContext(ctx context.Context, object client.Object) context.Context {
	carrier := propagation.MapCarrier{}
	if err := json.Unmarshal([]byte(object.GetAnnotations()[apis.AnnotationTraceContext]), &carrier); err != nil {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, carrier)
}

// injectContext notes in the context what objects written in it carry on.
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

// annotate puts the trace on an object that carries none.
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
