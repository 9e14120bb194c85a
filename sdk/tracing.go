// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"encoding/json"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// The attributes of spans.
const (
	attributeName      = attribute.Key("sandbox.name")
	attributeNamespace = attribute.Key("sandbox.namespace")
	attributeCommand   = attribute.Key("sandbox.command")
	attributeExitCode  = attribute.Key("sandbox.exit_code")
	attributePath      = attribute.Key("sandbox.file.path")
)

// tracer creates a span for the lifetime of each handle, and one for each operation.
type tracer struct{ trace.Tracer }

func newTracer(p trace.TracerProvider) tracer {
	return tracer{p.Tracer("github.com/agent-sandbox/kubectl-sandbox/sdk")}
}

// handleSpan is the span of a handle, from its creation until it is closed.
type handleSpan struct{ span trace.Span }

func (t tracer) startHandle(ctx context.Context, s *Sandbox) (context.Context, *handleSpan) {
	ctx, span := t.Start(ctx, "sandbox.lifecycle", trace.WithAttributes(spanAttributes(s)...))
	return ctx, &handleSpan{span}
}

func spanAttributes(s *Sandbox) []attribute.KeyValue {
	return []attribute.KeyValue{attributeName.String(s.name), attributeNamespace.String(s.client.namespace)}
}

// parentOf makes the handle's span the parent of the next span, unless the caller has started one.
func (l *handleSpan) parentOf(ctx context.Context) context.Context {
	if l == nil || trace.SpanContextFromContext(ctx).IsValid() {
		return ctx
	}
	return trace.ContextWithSpan(ctx, l.span)
}

func (l *handleSpan) end(err error) {
	if l != nil {
		endSpan(l.span, err)
	}
}

// startOperation starts the span of an operation.
func (t tracer) startOperation(ctx context.Context, s *Sandbox, op string) (context.Context, func(error)) {
	ctx, span := t.Start(ctx, "sandbox."+op, trace.WithAttributes(spanAttributes(s)...))
	return ctx, func(err error) { endSpan(span, err) }
}

func endSpan(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
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
