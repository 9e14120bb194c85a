// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// DefaultTraceServiceName is what the names of spans begin with.
const DefaultTraceServiceName = "sandbox-client"

// The attributes of spans.
const (
	AttrName      = attribute.Key("sandbox.name")
	AttrNamespace = attribute.Key("sandbox.namespace")
	// AttrClaimName is set if the sandbox has a claim.
	AttrClaimName        = attribute.Key("sandbox.claim.name")
	AttrCommand          = attribute.Key("sandbox.command")
	AttrExitCode         = attribute.Key("sandbox.exit_code")
	AttrFilePath         = attribute.Key("sandbox.file.path")
	AttrFileSize         = attribute.Key("sandbox.file.size")
	AttrFileCount        = attribute.Key("sandbox.file.count")
	AttrFileExists       = attribute.Key("sandbox.file.exists")
	AttrGatewayName      = attribute.Key("sandbox.gateway.name")
	AttrGatewayNamespace = attribute.Key("sandbox.gateway.namespace")
	// AttrRequestID is also the header X-Request-ID of the request, in each attempt.
	AttrRequestID = attribute.Key("sandbox.request_id")
	// AttrConnection is how the router was found: url, gateway, tunnel or custom. AttrServer is its host and port.
	AttrConnection = attribute.Key("sandbox.connection")
	AttrServer     = attribute.Key("server.address")
	AttrPort       = attribute.Key("server.port")
	AttrStatus     = attribute.Key("http.response.status_code")
)

// tracer creates a span for the lifetime of each handle, and below it one for each operation.
type tracer struct {
	trace.Tracer
	service string
}

func newTracer(p trace.TracerProvider, service string) tracer {
	return tracer{p.Tracer(strings.ReplaceAll(service, "-", "_")), service}
}

// start starts a span called SERVICE.OPERATION.
func (t tracer) start(ctx context.Context, op string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	return t.Start(ctx, t.service+"."+op, options...)
}

// handleSpan is the span of a handle, from its creation until it is closed.
type handleSpan struct{ span trace.Span }

func (t tracer) startHandle(ctx context.Context, s *Sandbox) (context.Context, *handleSpan) {
	ctx, span := t.start(ctx, "lifecycle", trace.WithAttributes(spanAttributes(s)...))
	return ctx, &handleSpan{span}
}

func spanAttributes(s *Sandbox) []attribute.KeyValue {
	attributes := []attribute.KeyValue{AttrName.String(s.name), AttrNamespace.String(s.namespace)}
	if ref, _ := s.reference(); ref.Kind == resolve.KindClaim {
		attributes = append(attributes, AttrClaimName.String(s.name))
	}
	return attributes
}

// strategyAttributes returns how the router is looked for.
func strategyAttributes(strategy connect.Strategy) []attribute.KeyValue {
	switch way := strategy.(type) {
	case connect.URL:
		return []attribute.KeyValue{AttrConnection.String("url")}
	case connect.Gateway:
		return []attribute.KeyValue{
			AttrConnection.String("gateway"), AttrGatewayName.String(way.Name),
			AttrGatewayNamespace.String(cmp.Or(way.Namespace, metav1.NamespaceDefault)),
		}
	case connect.Tunnel:
		return []attribute.KeyValue{AttrConnection.String("tunnel")}
	}
	return []attribute.KeyValue{AttrConnection.String("custom")}
}

func (l *handleSpan) end(err error) {
	if l != nil {
		endSpan(l.span, err)
	}
}

// startOperation starts the span of an operation. Its parent is the span of the handle, whatever the context of the
// caller has; a span of the caller is linked.
func (t tracer) startOperation(
	ctx context.Context, l *handleSpan, s *Sandbox, op string,
) (context.Context, func(error)) {
	options := []trace.SpanStartOption{trace.WithAttributes(spanAttributes(s)...)}
	if l != nil {
		caller, parent := trace.SpanContextFromContext(ctx), l.span.SpanContext()
		if caller.IsValid() && !caller.Equal(parent) {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: caller}))
		}
		ctx = trace.ContextWithSpan(ctx, l.span)
	}
	ctx, span := t.start(ctx, op, options...)
	return ctx, func(err error) { endSpan(span, err) }
}

func endSpan(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// note adds attributes to the span of the operation.
func note(ctx context.Context, attributes ...attribute.KeyValue) {
	trace.SpanFromContext(ctx).SetAttributes(attributes...)
}

// injectTrace adds the context's trace to the object, so that the operator continues it.
func (t tracer) injectTrace(ctx context.Context, object metav1.Object) {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	raw, err := json.Marshal(carrier)
	if err != nil || len(carrier) == 0 {
		return
	}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[apis.AnnotationTraceContext] = string(raw)
	object.SetAnnotations(annotations)
}
