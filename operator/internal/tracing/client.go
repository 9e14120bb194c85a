// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Client returns a client that records each write as a child span of the reconcile, and adds the trace context to the
// claims, Sandboxes and Pods that it writes. Reads come from the cache and have no span.
func (t *Tracer) Client(inner client.Client) client.Client {
	if t.tracer == nil {
		return inner
	}
	return tracedClient{Client: inner, tracer: t}
}

type tracedClient struct {
	client.Client

	tracer *Tracer
}

// Create implements client.Client.
func (c tracedClient) Create(ctx context.Context, object client.Object, opts ...client.CreateOption) error {
	propagate(ctx, object)
	return c.tracer.traceWrite(ctx, "create", object, func(ctx context.Context) error {
		return c.Client.Create(ctx, object, opts...)
	})
}

// Patch implements client.Client.
func (c tracedClient) Patch(
	ctx context.Context, object client.Object, patch client.Patch, opts ...client.PatchOption,
) error {
	propagate(ctx, object)
	return c.tracer.traceWrite(ctx, "patch", object, func(ctx context.Context) error {
		return c.Client.Patch(ctx, object, patch, opts...)
	})
}

// Delete implements client.Client.
func (c tracedClient) Delete(ctx context.Context, object client.Object, opts ...client.DeleteOption) error {
	return c.tracer.traceWrite(ctx, "delete", object, func(ctx context.Context) error {
		return c.Client.Delete(ctx, object, opts...)
	})
}

// Status implements client.Client.
func (c tracedClient) Status() client.SubResourceWriter {
	return tracedStatus{SubResourceWriter: c.Client.Status(), tracer: c.tracer}
}

type tracedStatus struct {
	client.SubResourceWriter

	tracer *Tracer
}

// Patch implements client.SubResourceWriter.
func (s tracedStatus) Patch(
	ctx context.Context, object client.Object, patch client.Patch, opts ...client.SubResourcePatchOption,
) error {
	return s.tracer.traceWrite(ctx, "patchStatus", object,
		func(ctx context.Context) error { return s.SubResourceWriter.Patch(ctx, object, patch, opts...) })
}

// propagate adds the trace context to the kinds that a request passes through.
func propagate(ctx context.Context, object client.Object) {
	switch object.(type) {
	case *extensionsv1beta1.SandboxClaim, *agentsv1beta1.Sandbox, *corev1.Pod:
		annotate(ctx, object)
	}
}

func (t *Tracer) traceWrite(
	ctx context.Context, verb string, object client.Object, do func(context.Context) error,
) error {
	ctx, span := t.tracer.Start(ctx, spanName(verb, object), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			attribute.String("k8s.namespace.name", object.GetNamespace()),
			attribute.String("sandbox.object.name", object.GetName()),
			attribute.String("sandbox.verb", verb)))
	defer span.End()
	err := do(ctx)
	recordError(span, err)
	return err
}

// spanName returns the name of a span for a write.
func spanName(verb string, object client.Object) string {
	switch object.(type) {
	case *corev1.Pod:
		return "reconcilePod"
	case *corev1.PersistentVolumeClaim:
		return "reconcilePVCs"
	case *corev1.Service:
		return "reconcileService"
	}
	kind := fmt.Sprintf("%T", object)
	return verb + kind[strings.LastIndex(kind, ".")+1:]
}
