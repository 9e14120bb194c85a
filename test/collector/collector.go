// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package collector receives OpenTelemetry traces over OTLP for tests: over gRPC, and over HTTP with protobuf.
package collector

import (
	"context"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// Collector keeps the spans that it receives. It is safe for concurrent use.
type Collector struct {
	collectorv1.UnimplementedTraceServiceServer

	// GRPC and HTTP are the endpoints, as OTEL_EXPORTER_OTLP_ENDPOINT takes them.
	GRPC, HTTP string

	mu      sync.Mutex
	headers http.Header // of the last request over HTTP
	spans   []Span
}

// Start starts a collector that listens until the test ends, and sets OTEL_EXPORTER_OTLP_ENDPOINT to its endpoint for
// gRPC.
func Start(t *testing.T) *Collector {
	t.Helper()
	c := Listen(t, "127.0.0.1")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.GRPC)
	return c
}

// Listen starts a collector at an address of this machine. It listens until the test ends.
func Listen(t *testing.T, host string) *Collector {
	t.Helper()
	c, server := &Collector{}, grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, c)
	listener := listen(t, host)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	c.GRPC = "http://" + listener.Addr().String()

	web := httptest.NewUnstartedServer(http.HandlerFunc(c.receive))
	_ = web.Listener.Close()
	web.Listener = listen(t, host)
	web.Start()
	t.Cleanup(web.Close)
	c.HTTP = web.URL
	return c
}

func listen(t *testing.T, host string) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// receive is OTLP over HTTP.
func (c *Collector) receive(w http.ResponseWriter, r *http.Request) {
	request := &collectorv1.ExportTraceServiceRequest{}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = proto.Unmarshal(body, request)
	}
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" ||
		r.Header.Get("Content-Type") != "application/x-protobuf" {
		http.Error(w, "not a request of OTLP", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.headers = r.Header.Clone()
	c.mu.Unlock()
	_, _ = c.Export(r.Context(), request) // it never fails
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// Export implements the OTLP service.
func (c *Collector) Export(
	_ context.Context, r *collectorv1.ExportTraceServiceRequest,
) (*collectorv1.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range r.GetResourceSpans() {
		service := ""
		for _, attribute := range resource.GetResource().GetAttributes() {
			if attribute.GetKey() == "service.name" {
				service = attribute.GetValue().GetStringValue()
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				c.spans = append(c.spans, received(service, span))
			}
		}
	}
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

// Span contains the fields of a span that tests check.
type Span struct {
	Service, Name, TraceID, ID, Parent string
	Failed                             bool
	Attributes                         map[string]string // those that are texts
	Numbers                            map[string]int64  // those that are whole numbers
}

func received(service string, s *tracev1.Span) Span {
	span := Span{
		Service: service, Name: s.GetName(), TraceID: hex.EncodeToString(s.GetTraceId()),
		ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
		Failed:     s.GetStatus().GetCode() == tracev1.Status_STATUS_CODE_ERROR,
		Attributes: map[string]string{}, Numbers: map[string]int64{},
	}
	for _, attribute := range s.GetAttributes() {
		span.Attributes[attribute.GetKey()] = attribute.GetValue().GetStringValue()
		span.Numbers[attribute.GetKey()] = attribute.GetValue().GetIntValue()
	}
	return span
}

// Spans returns the spans of a trace. An empty ID means all traces.
func (c *Collector) Spans(traceID string) []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.spans), func(s Span) bool { return traceID != "" && s.TraceID != traceID })
}

// Services returns the names of the services that sent spans, each once.
func (c *Collector) Services() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, span := range c.spans {
		all = append(all, span.Service)
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// Headers returns those of the last request over HTTP.
func (c *Collector) Headers() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headers
}
