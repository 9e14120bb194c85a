// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
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
	client := w.client(sdk.WithTracerProvider(provider), sdk.WithTraceServiceName("my-agent"))
	box := create(t, client, sdk.Spec{Name: "dev", Template: "t"})
	claim, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Get(t.Context(), "dev", metav1.GetOptions{})
	if err != nil || !strings.Contains(claim.Annotations[apis.AnnotationTraceContext], `"traceparent":"00-`) {
		t.Errorf("the claim carries %q, %v", claim.Annotations[apis.AnnotationTraceContext], err)
	}
	ctx, caller := provider.Tracer("caller").Start(t.Context(), "caller")
	if _, err := box.Exec(ctx, stream.Process{Command: []string{"sh", "-c", "exit 3"}}); err != nil {
		t.Fatal(err)
	}
	caller.End()
	if err := box.Write(t.Context(), "f", []byte("content")); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Read(t.Context(), "nothing"); err == nil {
		t.Fatal("there is no such file")
	}
	if _, err := box.List(t.Context(), "."); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Exists(t.Context(), "f"); err != nil {
		t.Fatal(err)
	}
	if err := box.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]sdktrace.ReadOnlySpan{}
	for _, span := range spans.Ended() {
		got[span.Name()] = span
	}
	life := got["my-agent.lifecycle"]
	if life == nil || life.InstrumentationScope().Name != "my_agent" {
		t.Fatalf("got %v", got)
	}
	for name, want := range map[string]attribute.KeyValue{
		"create_claim":           attribute.String("sandbox.claim.name", "dev"),
		"wait_for_sandbox_ready": attribute.String("sandbox.namespace", "default"),
		"run":                    attribute.Int("sandbox.exit_code", 3),
		"write":                  attribute.Int("sandbox.file.size", 7),
		"read":                   attribute.String("sandbox.file.path", "nothing"),
		"list":                   attribute.Int("sandbox.file.count", 1),
		"exists":                 attribute.Bool("sandbox.file.exists", true),
	} {
		span := got["my-agent."+name]
		if span == nil || span.Parent().SpanID() != life.SpanContext().SpanID() {
			t.Errorf("%s is not below the lifecycle: %v", name, span)
			continue
		}
		if failed := span.Status().Code == codes.Error; failed != (name == "read") {
			t.Errorf("%s: %v", name, span.Status())
		}
		attributes := attribute.NewSet(span.Attributes()...)
		if has, _ := attributes.Value(want.Key); has != want.Value {
			t.Errorf("%s: %s is %v", name, want.Key, has.String())
		}
	}
	run := got["my-agent.run"]
	if len(run.Links()) != 1 || run.Links()[0].SpanContext.SpanID() != caller.SpanContext().SpanID() {
		t.Errorf("the caller's span is not linked: %v", run.Links())
	}
}

func TestAnOpenHandleHasASpanWithTheWayToIt(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	w := start(t)
	client := w.client(sdk.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))))
	create(t, w.client(), sdk.Spec{Name: "dev", Template: "t"})
	box, err := client.Open(t.Context(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	box.Disconnect()
	if _, err := client.In("elsewhere").Open(t.Context(), "dev"); err == nil {
		t.Fatal("there is none in that namespace")
	}
	ended := spans.Ended()
	if len(ended) != 2 || ended[0].Name() != "sandbox-client.reconnect" || ended[1].Name() != "sandbox-client.lifecycle" ||
		ended[0].Parent().SpanID() != ended[1].SpanContext().SpanID() {
		t.Fatalf("got %v", ended)
	}
	for _, span := range ended {
		attributes := attribute.NewSet(span.Attributes()...)
		if name, _ := attributes.Value(sdk.AttrClaimName); name.AsString() != "dev" || span.Status().Code == codes.Error {
			t.Errorf("%s: got %v, %v", span.Name(), span.Attributes(), span.Status())
		}
	}
}
