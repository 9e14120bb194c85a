// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/test/collector"
)

func TestEachOperationIsASpanWithoutCommandOutputAndPath(t *testing.T) {
	c := collector.Listen(t, "127.0.0.1")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.HTTP)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	tracer, err := tracing.Setup(t.Context(), os.LookupEnv, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tracer.Shutdown(t.Context()) })
	r := start(t, func(s *server) { s.tracer = tracer })
	const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	header := http.Header{"Traceparent": {"00-" + traceID + "-00f067aa0ba902b7-01"}}
	body := `{"command": "sh -c 'echo secret; exit 7'"}`
	r.must(http.MethodPost, "/execute", header, strings.NewReader(body))
	r.must(http.MethodPost, "/execute/stream", header, strings.NewReader(body))
	r.must(http.MethodPost, "/upload", header, strings.NewReader("no form"))
	for _, path := range []string{"/", "/download/secret", "/list/secret", "/exists/secret", "/nothing"} {
		r.must(http.MethodGet, path, header, nil)
	}
	r.must(http.MethodPut, "/execute", header, nil)
	r.eventually("all spans", func() bool { return len(c.Spans(traceID)) >= 6 })
	r.eventually("their trace in the log", func() bool {
		return strings.Count(r.log.String(), `"trace_id":"`+traceID+`"`) == 6
	})
	var got []string
	for _, s := range c.Spans("") {
		got = append(got, fmt.Sprintf("%s %s %s %d %d", s.Name, s.Attributes["http.request.method"],
			s.Attributes["http.route"], s.Numbers["http.response.status_code"], s.Numbers["sandbox.exit_code"]))
		if s.Parent != "00f067aa0ba902b7" || strings.Contains(fmt.Sprint(s), "secret") {
			t.Errorf("span %+v", s)
		}
	}
	slices.Sort(got)
	want := []string{
		"sandbox-runtime.download GET /download/ 404 0", "sandbox-runtime.execute POST /execute 200 7",
		"sandbox-runtime.exists GET /exists/ 200 0", "sandbox-runtime.list GET /list/ 404 0",
		"sandbox-runtime.stream POST /execute/stream 200 7", "sandbox-runtime.upload POST /upload 400 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("spans %q", got)
	}
}
