// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

// requests are those that a server has got.
type requests struct {
	mu  sync.Mutex
	all []http.Header
}

func (r *requests) add(header http.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, header)
}

// take returns the requests since the last call.
func (r *requests) take() []http.Header {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// failing is a server in place of a router that answers as many requests with a status as fails says, and then that
// something exists.
func failing(t *testing.T, status int) (url string, fails *atomic.Int64, got *requests) {
	t.Helper()
	fails, got = &atomic.Int64{}, &requests{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.add(r.Header)
		if fails.Add(-1) >= 0 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(status)
			return
		}
		_, _ = fmt.Fprint(w, `{"exists":true}`)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL, fails, got
}

func TestASuspendedSandboxIsNotWaitedForAndOneThatStartsIs(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	url, fails, got := failing(t, http.StatusServiceUnavailable)
	created := create(t, w.client(), sdk.Spec{Name: "dev", Template: "t"})
	box, err := w.client(sdk.WithConnection(connect.URL(url)), sdk.WithClock(hurried{})).Attach(t.Context(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	fails.Store(2)
	if exists, err := box.Runtime().Exists(t.Context(), "f"); err != nil || !exists || len(got.take()) != 3 {
		t.Errorf("got %v, %v", exists, err)
	}
	fails.Store(100)
	if _, err := box.Runtime().Exists(t.Context(), "f"); !errors.Is(err, sdk.ErrRetriesExhausted) ||
		!errors.Is(err, sdk.ErrNotReady) || len(got.take()) != 6 {
		t.Errorf("got %v", err)
	}
	if err := created.Suspend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Runtime().Exists(t.Context(), "f"); !errors.Is(err, sdk.ErrSuspended) ||
		errors.Is(err, sdk.ErrRetriesExhausted) || len(got.take()) != 1 {
		t.Errorf("got %v", err)
	}
}

func TestAllAttemptsOfAnOperationHaveOneIDAndASpan(t *testing.T) {
	w := start(t)
	url, fails, got := failing(t, http.StatusBadGateway)
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	create(t, w.client(), sdk.Spec{Name: "dev", Template: "t"})
	box, err := w.client(sdk.WithConnection(connect.URL(url)), sdk.WithClock(hurried{}),
		sdk.WithTracerProvider(provider)).Attach(t.Context(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	fails.Store(1)
	if _, err := box.Runtime().Exists(t.Context(), "f"); err != nil {
		t.Fatal(err)
	}
	own, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://sandbox/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	own.Header.Set("X-Request-ID", "mine")
	response, err := box.HTTPClient(80).Do(own)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	sent := got.take()
	if len(sent) != 3 {
		t.Fatalf("got %d requests", len(sent))
	}
	ids := map[string]int{}
	for _, header := range sent {
		ids[header.Get("X-Request-ID")]++
	}
	first := sent[0].Get("X-Request-ID")
	if first == "" || ids[first] != 2 || ids["mine"] != 1 {
		t.Errorf("got %v", ids)
	}
	exists := byName(spans)["sandbox-client.exists"]
	attributes := attribute.NewSet(exists.Attributes()...)
	if id, _ := attributes.Value(sdk.AttrRequestID); id.AsString() != first {
		t.Errorf("the span has the ID %s, not %s", id.AsString(), first)
	}
	want := "00-" + exists.SpanContext().TraceID().String() + "-" + exists.SpanContext().SpanID().String() + "-01"
	for _, header := range sent[:2] {
		if got := header.Get("Traceparent"); got != want {
			t.Errorf("an attempt carries %q, not %q", got, want)
		}
	}
}

// byName returns the spans that have ended.
func byName(spans *tracetest.SpanRecorder) map[string]sdktrace.ReadOnlySpan {
	ended := map[string]sdktrace.ReadOnlySpan{}
	for _, span := range spans.Ended() {
		ended[span.Name()] = span
	}
	return ended
}

func TestASpanTellsHowTheRouterWasFound(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	url, _, got := failing(t, http.StatusBadGateway)
	host, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways/front" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"spec": {"listeners": [{"port": %s, "protocol": "HTTP"}]}, `+
			`"status": {"addresses": [{"value": %q}]}}`, port, host)
	}))
	t.Cleanup(func() { api.CloseClientConnections(); api.Close() })
	edge, err := kubernetes.NewForConfig(&rest.Config{Host: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	create(t, w.client(), sdk.Spec{Name: "dev", Template: "t"})
	for _, strategy := range []connect.Strategy{connect.Gateway{Name: "front"}, connect.URL(url), elsewhere(url)} {
		spans := tracetest.NewSpanRecorder()
		client := clientOf(sdk.Clients{Sandboxes: w.Sandboxes, Kubernetes: edge, Network: w.network},
			sdk.WithConnection(strategy), sdk.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))))
		box, err := client.Attach(t.Context(), "dev")
		if err != nil {
			t.Fatal(err)
		}
		if exists, err := box.Runtime().Exists(t.Context(), "f"); err != nil || !exists || len(got.take()) != 1 {
			t.Errorf("%T: got %v, %v", strategy, exists, err)
		}
		client.CloseIdleConnections()
		ended := byName(spans)
		connected, exists := ended["sandbox-client.connect"], ended["sandbox-client.exists"]
		if connected == nil || exists == nil || connected.Parent().SpanID() != exists.SpanContext().SpanID() {
			t.Errorf("%T: got %v", strategy, ended)
			continue
		}
		want := []attribute.KeyValue{
			sdk.AttrConnection.String("url"), sdk.AttrServer.String(strings.TrimPrefix(url, "http://")),
		}
		switch strategy.(type) {
		case connect.Gateway:
			want[0] = sdk.AttrConnection.String("gateway")
			want = append(want, sdk.AttrGatewayName.String("front"), sdk.AttrGatewayNamespace.String("default"))
		case elsewhere:
			want[0] = sdk.AttrConnection.String("custom")
		}
		if all := attribute.NewSet(want...); !all.Equals(new(attribute.NewSet(connected.Attributes()...))) {
			t.Errorf("%T: got %v", strategy, connected.Attributes())
		}
	}
}

// elsewhere is a Strategy of the program.
type elsewhere string

// Connect implements connect.Strategy.
func (e elsewhere) Connect(ctx context.Context, cluster connect.Cluster) (connect.Endpoint, error) {
	return connect.URL(e).Connect(ctx, cluster)
}
