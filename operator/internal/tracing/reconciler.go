// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TraceReconciler records each reconcile as a span whose parent is the context in the object's annotation. The objects
// that the reconcile writes get the context of that span's trace.
func TraceReconciler[T client.Object](
	t *Tracer, name string, inner reconcile.ObjectReconciler[T],
) reconcile.ObjectReconciler[T] {
	if t.tracer == nil {
		return inner
	}
	return tracedReconciler[T]{tracer: t, name: name, inner: inner}
}

type tracedReconciler[T client.Object] struct {
	tracer *Tracer
	name   string
	inner  reconcile.ObjectReconciler[T]
}

// Reconcile implements reconcile.ObjectReconciler.
func (o tracedReconciler[T]) Reconcile(ctx context.Context, object T) (reconcile.Result, error) {
	return o.tracer.traceReconcile(extractContext(ctx, object), o.name, object.GetNamespace(), object.GetName(),
		func(ctx context.Context) (reconcile.Result, error) {
			return o.inner.Reconcile(injectContext(ctx), object)
		})
}

// TraceRequests does the same for a reconciler that reads its object itself. Each span starts a trace, and written
// objects get no context: no client requested the members of a pool.
func TraceRequests(t *Tracer, name string, inner reconcile.Reconciler) reconcile.Reconciler {
	if t.tracer == nil {
		return inner
	}
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		return t.traceReconcile(ctx, name, request.Namespace, request.Name,
			func(ctx context.Context) (reconcile.Result, error) { return inner.Reconcile(ctx, request) })
	})
}

func (t *Tracer) traceReconcile(
	ctx context.Context, name, namespace, object string, do func(context.Context) (reconcile.Result, error),
) (reconcile.Result, error) {
	ctx, span := t.tracer.Start(ctx, name, trace.WithAttributes(
		attribute.String("k8s.namespace.name", namespace), attribute.String("sandbox.object.name", object)))
	defer span.End()
	result, err := do(ctx)
	recordError(span, err)
	if result.RequeueAfter > 0 {
		span.SetAttributes(attribute.Float64("sandbox.requeue_after_s", result.RequeueAfter.Seconds()))
	}
	return result, err
}

func recordError(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
}
