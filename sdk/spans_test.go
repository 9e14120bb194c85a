// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

func TestSpansTellOfEachOperation(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	w := start(t)
	box := create(t, w.client(sdk.WithTracerProvider(provider)), sdk.Spec{Name: "dev", Template: "t"})
	claim, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Get(t.Context(), "dev", metav1.GetOptions{})
	if err != nil || !strings.Contains(claim.Annotations[apis.AnnotationTraceContext], `"traceparent":"00-`) {
		t.Errorf("the claim carries %q, %v", claim.Annotations[apis.AnnotationTraceContext], err)
	}
	if _, err := box.Exec(t.Context(), stream.Process{Command: []string{"sh", "-c", "exit 3"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Read(t.Context(), "nothing"); err == nil {
		t.Fatal("there is no such file")
	}
	if err := box.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]sdktrace.ReadOnlySpan{}
	for _, span := range spans.Ended() {
		got[span.Name()] = span
	}
	life := got["sandbox.lifecycle"]
	if life == nil {
		t.Fatalf("got %v", got)
	}
	for _, name := range []string{"sandbox.create", "sandbox.run", "sandbox.read"} {
		span := got[name]
		if span == nil || span.Parent().SpanID() != life.SpanContext().SpanID() {
			t.Errorf("%s is not below the lifecycle: %v", name, span)
			continue
		}
		if failed := span.Status().Code == codes.Error; failed != (name == "sandbox.read") {
			t.Errorf("%s: %v", name, span.Status())
		}
	}
	found := false
	for _, a := range got["sandbox.run"].Attributes() {
		found = found || string(a.Key) == "sandbox.exit_code" && a.Value.AsInt64() == 3
	}
	if !found {
		t.Errorf("attributes: %v", got["sandbox.run"].Attributes())
	}
}
