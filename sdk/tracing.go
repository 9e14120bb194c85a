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

// tracer makes a span for the life of each handle, and one for each operation.
type tracer struct{ trace.Tracer }

func newTracer(p trace.TracerProvider) tracer {
	return tracer{p.Tracer("github.com/agent-sandbox/kubectl-sandbox/sdk")}
}

// life is the span of a handle, from when it was made or opened until it is closed.
type life struct{ span trace.Span }

func (t tracer) lifecycle(ctx context.Context, s *Sandbox) (context.Context, *life) {
	ctx, span := t.Start(ctx, "sandbox.lifecycle", trace.WithAttributes(about(s)...))
	return ctx, &life{span}
}

func about(s *Sandbox) []attribute.KeyValue {
	return []attribute.KeyValue{attributeName.String(s.name), attributeNamespace.String(s.client.namespace)}
}

// in makes the handle's span the parent of what the context's next span is about, unless the caller has one of its own.
func (l *life) in(ctx context.Context) context.Context {
	if l == nil || trace.SpanContextFromContext(ctx).IsValid() {
		return ctx
	}
	return trace.ContextWithSpan(ctx, l.span)
}

func (l *life) end(err error) {
	if l != nil {
		finish(l.span, err)
	}
}

// begin starts the span of an operation.
func (t tracer) begin(ctx context.Context, s *Sandbox, op string) (context.Context, func(error)) {
	ctx, span := t.Start(ctx, "sandbox."+op, trace.WithAttributes(about(s)...))
	return ctx, func(err error) { finish(span, err) }
}

func finish(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// stamp has the operator go on with the trace that the context is in.
func (t tracer) stamp(ctx context.Context, object metav1.Object) {
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
