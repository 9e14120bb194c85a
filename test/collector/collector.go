// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package collector receives OpenTelemetry traces over OTLP/gRPC for tests.
package collector

import (
	"context"
	"encoding/hex"
	"net"
	"slices"
	"sync"
	"testing"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
)

// Collector keeps the spans that it receives. It is safe for concurrent use.
type Collector struct {
	collectorv1.UnimplementedTraceServiceServer

	mu       sync.Mutex
	services []string
	spans    []*tracev1.Span
}

// Start starts a collector that listens until the test ends, and sets OTEL_EXPORTER_OTLP_ENDPOINT to its address.
func Start(t *testing.T) *Collector {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, server := &Collector{}, grpc.NewServer()
	collectorv1.RegisterTraceServiceServer(server, c)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+listener.Addr().String())
	return c
}

// Export implements the OTLP service.
func (c *Collector) Export(
	_ context.Context, r *collectorv1.ExportTraceServiceRequest,
) (*collectorv1.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range r.GetResourceSpans() {
		for _, attribute := range resource.GetResource().GetAttributes() {
			if attribute.GetKey() == "service.name" {
				c.services = append(c.services, attribute.GetValue().GetStringValue())
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
	return &collectorv1.ExportTraceServiceResponse{}, nil
}

// Span contains the fields of a span that tests check.
type Span struct {
	Name, TraceID, ID, Parent string
	Failed                    bool
	Attributes                map[string]string
}

// Spans returns the spans of a trace. An empty ID means all traces.
func (c *Collector) Spans(traceID string) []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Span
	for _, s := range c.spans {
		span := Span{
			Name: s.GetName(), TraceID: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
			Parent: hex.EncodeToString(s.GetParentSpanId()), Failed: s.GetStatus().GetCode() == tracev1.Status_STATUS_CODE_ERROR,
			Attributes: map[string]string{},
		}
		for _, attribute := range s.GetAttributes() {
			span.Attributes[attribute.GetKey()] = attribute.GetValue().GetStringValue()
		}
		if traceID == "" || traceID == span.TraceID {
			all = append(all, span)
		}
	}
	return all
}

// Services returns the names of the services that sent spans, each once.
func (c *Collector) Services() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(c.services)))
}
