// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"bytes"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/collector"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
	parent  = "00-" + traceID + "-" + spanID + "-01"
)

func request(traceparent string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Traceparent", traceparent)
	return r
}

// traced exports the spans of requests with the statuses to a collector.
func traced(t *testing.T, traceparent string, statuses ...int) *collector.Collector {
	t.Helper()
	c := collector.Listen(t, "127.0.0.1")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.HTTP+"/")
	tracer, err := Setup(t.Context(), os.LookupEnv, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range statuses {
		r, end := tracer.Start(request(traceparent), "execute", "/execute")
		Exited(r.Context(), 3)
		end(status)
	}
	if err := tracer.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestASpanOfARequestIsBelowThatOfItsClient(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, other = c")
	c := traced(t, parent, 200, 507)
	spans := c.Spans(traceID)
	if len(spans) != 2 {
		t.Fatalf("spans %+v", spans)
	}
	for i, s := range spans {
		if s.Service != "sandbox-runtime" || s.Name != "sandbox-runtime.execute" || s.Parent != spanID ||
			s.Failed != (i == 1) {
			t.Errorf("span %+v", s)
		}
		numbers := map[string]int64{
			"http.request.method": 0, "http.route": 0, "http.response.status_code": []int64{200, 507}[i], "sandbox.exit_code": 3,
		}
		if s.Attributes["http.request.method"] != "POST" || s.Attributes["http.route"] != "/execute" ||
			!maps.Equal(s.Numbers, numbers) {
			t.Errorf("attributes %v, %v", s.Attributes, s.Numbers)
		}
	}
	if h := c.Headers(); h.Get("Api-Key") != "a b" || h.Get("Other") != "c" {
		t.Errorf("headers %v", h)
	}
}

func TestWhatIsSampledIsTheClientsAndTheEnvironmentsChoice(t *testing.T) {
	tests := map[string]struct {
		parent, sampler string
		want            int
	}{
		"a client's trace that is kept":           {parent, "", 1},
		"one that is not kept":                    {strings.TrimSuffix(parent, "01") + "00", "", 0},
		"a request without a trace begins one":    {"", "", 1},
		"unless the environment says otherwise":   {"", "parentbased_always_off", 0},
		"which does not change a client's choice": {parent, "parentbased_always_off", 1},
		"what is no trace begins one":             {"00-0-0-01", "", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.sampler != "" {
				t.Setenv("OTEL_TRACES_SAMPLER", tt.sampler)
			}
			if got := traced(t, tt.parent, 200).Spans(""); len(got) != tt.want {
				t.Errorf("spans %+v", got)
			}
		})
	}
}

func TestWithoutACollectorNothingIsRecorded(t *testing.T) {
	off, err := Setup(t.Context(), func(string) (string, bool) { return "", false }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r := request(parent)
	got, end := off.Start(r, "execute", "/execute")
	Exited(got.Context(), 1)
	if end(200); got != r {
		t.Error("the request is another one")
	}
	if err := off.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAWrongEnvironmentIsAnErrorWithoutSecretsAndTracesNothing(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for name, environment := range map[string]map[string]string{
		"an address that is no URL":       {endpoint: "collector:4318"},
		"one that cannot be parsed":       {endpoint: "http://user:secret@%zz"},
		"a protocol that is not spoken":   {endpoint: "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		"the protocol for traces is":      {endpoint: "http://x", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"},
		"headers without a value":         {endpoint: "http://x", "OTEL_EXPORTER_OTLP_HEADERS": "secret"},
		"headers that are escaped wrong":  {endpoint: "http://x", "OTEL_EXPORTER_OTLP_HEADERS": "a=secret%zz"},
		"an address for traces is no URL": {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "/v1/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			tracer, err := Setup(t.Context(), func(name string) (string, bool) {
				value, set := environment[name]
				return value, set
			}, slog.New(slog.DiscardHandler))
			if err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("the error is %v", err)
			}
			if _, end := tracer.Start(request(parent), "list", "/list/"); tracer.tracer != nil {
				t.Error("it traces")
			} else {
				end(200)
			}
		})
	}
}

func TestTheEndpointForTracesAloneIsTakenAsItIs(t *testing.T) {
	c, err := newClient(func(name string) (string, bool) {
		return map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://x/otlp",
			"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
		}[name], true
	})
	if err != nil || c.url != "https://x/otlp" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestACollectorThatRefusesIsLogged(t *testing.T) {
	refuses := httptest.NewServer(http.NotFoundHandler())
	defer refuses.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", refuses.URL)
	var log bytes.Buffer
	tracer, err := Setup(t.Context(), os.LookupEnv, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	_, end := tracer.Start(request(parent), "list", "/list/")
	end(200)
	if err := tracer.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "404 Not Found") {
		t.Errorf("the log says %s", log.String())
	}
}

func TestACollectorWithoutEndIsNotReadToItsEnd(t *testing.T) {
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
		t.Error("all of its answer was read")
	}))
	defer endless.Close()
	c, err := newClient(func(name string) (string, bool) {
		url, ok := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endless.URL}[name]
		return url, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UploadTraces(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if c.http.Timeout <= 0 || c.http.Timeout > uploadTimeout {
		t.Errorf("it may take %s", c.http.Timeout)
	}
}
