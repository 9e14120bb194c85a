// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"

	"github.com/agent-sandbox/kubectl-sandbox/test/collector"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
	parent  = "00-" + traceID + "-" + spanID + "-01"
)

func request() *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Traceparent", parent)
	return r
}

func TestASpanLiesBetweenTheClientAndThePod(t *testing.T) {
	c := collector.Start(t)
	tracer, err := Setup(t.Context(), logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{200, 502} {
		r, end := tracer.Start(request())
		tracer.Describe(r.Context(), "team", "box", 8888)
		if id := tracer.ID(r.Context()); id != traceID {
			t.Errorf("the trace is %s", id)
		}
		out := r.Header.Clone()
		tracer.Inject(r.Context(), out)
		end(status)
		if got := out.Get("Traceparent"); !strings.HasPrefix(got, "00-"+traceID) || strings.Contains(got, spanID) {
			t.Errorf("the Pod gets %s", got)
		}
	}
	if err := tracer.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := c.Spans(traceID)
	if len(spans) != 2 || !slices.Equal(c.Services(), []string{"sandbox-router"}) {
		t.Fatalf("spans %+v of %v", spans, c.Services())
	}
	for i, s := range spans {
		if s.Name != "sandbox-router.proxy" || s.Parent != spanID || s.Attributes["sandbox.name"] != "box" ||
			s.Attributes["sandbox.namespace"] != "team" || s.Failed != (i == 1) {
			t.Errorf("span %+v", s)
		}
	}
}

func TestWithoutTracingTheClientsContextPassesUnchanged(t *testing.T) {
	off := Off()
	r := request()
	got, end := off.Start(r)
	off.Describe(got.Context(), "team", "box", 1)
	off.Inject(got.Context(), got.Header)
	if id := off.ID(got.Context()); id != "" {
		t.Errorf("there is a trace %s", id)
	}
	if end(500); got != r || got.Header.Get("Traceparent") != parent {
		t.Errorf("the Pod gets %v", got.Header)
	}
	if err := off.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
