// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/collector"
)

const (
	annotation = "opentelemetry.io/trace-context"
	traceID    = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID     = "00f067aa0ba902b7"
	carried    = `{"traceparent":"00-` + traceID + `-` + spanID + `-01"}`
)

// inner is a reconciler made of a function.
type inner func(context.Context, *agentsv1beta1.Sandbox) (reconcile.Result, error)

func (i inner) Reconcile(ctx context.Context, s *agentsv1beta1.Sandbox) (reconcile.Result, error) {
	return i(ctx, s)
}

func setUp(t *testing.T) (*Tracer, *collector.Collector, client.Client) {
	t.Helper()
	c := collector.Start(t)
	tracer, err := Setup(t.Context(), logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{agentsv1beta1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	store := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&agentsv1beta1.Sandbox{}).Build()
	return tracer, c, tracer.Client(store)
}

func sandboxWith(carried string) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "box"}}
	if carried != "" {
		s.Annotations = map[string]string{annotation: carried}
	}
	return s
}

// flush sends what is there, so that the collector has it.
func flush(t *testing.T, tracer *Tracer) {
	t.Helper()
	if err := tracer.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func named(spans []collector.Span, name string) []collector.Span {
	return slices.DeleteFunc(slices.Clone(spans), func(s collector.Span) bool { return s.Name != name })
}

func TestAPassContinuesTheTraceThatItsObjectCarries(t *testing.T) {
	tracer, c, writer := setUp(t)
	box := sandboxWith(carried)
	if err := writer.Create(t.Context(), box); err != nil {
		t.Fatal(err)
	}
	r := TraceReconciler(tracer, "ReconcileSandbox",
		inner(func(ctx context.Context, s *agentsv1beta1.Sandbox) (reconcile.Result, error) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "box"}}
			if err := writer.Create(ctx, pod); err != nil {
				return reconcile.Result{}, err
			}
			was := s.DeepCopy()
			s.Status.Replicas = 1
			if err := writer.Status().Patch(ctx, s, client.MergeFrom(was)); err != nil {
				return reconcile.Result{}, err
			}
			return reconcile.Result{}, writer.Delete(ctx, pod)
		}))
	if _, err := r.Reconcile(t.Context(), box); err != nil {
		t.Fatal(err)
	}
	flush(t, tracer)
	spans := c.Spans(traceID)
	pass := named(spans, "ReconcileSandbox")
	if len(pass) != 1 || pass[0].Parent != spanID || pass[0].Attributes["sandbox.object.name"] != "box" || pass[0].Failed {
		t.Fatalf("spans: %+v", spans)
	}
	if len(named(spans, "reconcilePod")) != 2 || len(named(spans, "patchStatusSandbox")) != 1 {
		t.Errorf("spans: %+v", spans)
	}
	for _, s := range spans {
		if s.ID != pass[0].ID && s.Parent != pass[0].ID {
			t.Errorf("%s is not below the pass", s.Name)
		}
	}
	if got := c.Services(); !slices.Equal(got, []string{"agent-sandbox-controller"}) {
		t.Errorf("services: %v", got)
	}
}

func TestAFailureIsSeenOnThePassAndOnTheWrite(t *testing.T) {
	tracer, c, writer := setUp(t)
	r := TraceReconciler(tracer, "ReconcileSandbox",
		inner(func(ctx context.Context, s *agentsv1beta1.Sandbox) (reconcile.Result, error) {
			return reconcile.Result{}, writer.Patch(ctx, s, client.MergeFrom(sandboxWith(""))) // it does not exist
		}))
	if _, err := r.Reconcile(t.Context(), sandboxWith(carried)); err == nil {
		t.Fatal("no error")
	}
	flush(t, tracer)
	for _, name := range []string{"ReconcileSandbox", "patchSandbox"} {
		if got := named(c.Spans(traceID), name); len(got) != 1 || !got[0].Failed {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWhatAPassWritesCarriesItsTrace(t *testing.T) {
	unsampled := strings.TrimSuffix(carried, `01"}`) + `00"}`
	tests := map[string]struct {
		object, write string
		kind          client.Object
		trace         string // that the written object carries; new: one that begins here
	}{
		"the Pod of a Sandbox that carries one": {carried, "", &corev1.Pod{}, traceID},
		"the Pod of one that carries none":      {"", "", &corev1.Pod{}, "new"},
		"what carries one already keeps it":     {"", carried, &corev1.Pod{}, traceID},
		"no Service":                            {carried, "", &corev1.Service{}, ""},
		"no object of a trace that is not kept": {unsampled, "", &corev1.Pod{}, ""},
		"what is no trace begins a new one":     {"{", "", &corev1.Pod{}, "new"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tracer, c, writer := setUp(t)
			tt.kind.SetNamespace("default")
			tt.kind.SetName("box")
			if tt.write != "" {
				tt.kind.SetAnnotations(map[string]string{annotation: tt.write})
			}
			r := TraceReconciler(tracer, "ReconcileSandbox",
				inner(func(ctx context.Context, _ *agentsv1beta1.Sandbox) (reconcile.Result, error) {
					return reconcile.Result{}, writer.Create(ctx, tt.kind)
				}))
			if _, err := r.Reconcile(t.Context(), sandboxWith(tt.object)); err != nil {
				t.Fatal(err)
			}
			flush(t, tracer)
			want := tt.trace
			if want == "new" {
				want = c.Spans("")[0].TraceID
			}
			if got := tt.kind.GetAnnotations()[annotation]; (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("carries %q, want trace %q", got, want)
			}
		})
	}
}

func TestAPoolsMembersCarryNoTrace(t *testing.T) {
	tracer, c, writer := setUp(t)
	box := sandboxWith("")
	r := TraceRequests(tracer, "ReconcileSandboxWarmPool",
		reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, errors.Join(writer.Create(ctx, box), errors.New("ill"))
		}))
	if _, err := r.Reconcile(t.Context(), reconcile.Request{}); err == nil {
		t.Fatal("the error is gone")
	}
	flush(t, tracer)
	if box.Annotations[annotation] != "" {
		t.Errorf("annotations: %v", box.Annotations)
	}
	if got := named(c.Spans(""), "ReconcileSandboxWarmPool"); len(got) != 1 || !got[0].Failed {
		t.Errorf("spans: %+v", c.Spans(""))
	}
}

func TestWhatIsOffDecoratesNothing(t *testing.T) {
	off := Off()
	writer := fake.NewClientBuilder().Build()
	if off.Client(writer) != client.Client(writer) {
		t.Error("the client is decorated")
	}
	requests := reconcile.Reconciler(&pointer{})
	if TraceRequests(off, "x", requests) != requests {
		t.Error("a reconciler of requests is decorated")
	}
	if _, plain := TraceReconciler(off, "x", inner(nil)).(inner); !plain {
		t.Error("a reconciler of objects is decorated")
	}
	if err := off.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

type pointer struct{}

func (*pointer) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}
