// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/rest"
)

// hasty is a clock on which an hour passes between two looks.
type hasty struct{ looks atomic.Int64 }

func (c *hasty) Now() time.Time { return time.Unix(c.looks.Add(1)*3600, 0) }

func (c *hasty) Since(at time.Time) time.Duration { return c.Now().Sub(at) }

func TestTheTimeoutCountsFromTheArrivalOfTheRequest(t *testing.T) {
	w := prepare(t, func(c *Config) { c.AllowUnauthenticated = true })
	port := pod(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	h, _, err := newHandler(w.config, Clients{w.sandboxes, w.kubernetes, w.kubernetes}, prometheus.NewRegistry(),
		logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	defer h.proxy.Close()
	h.clock = &hasty{}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	request.Header = http.Header{"X-Sandbox-Id": {"box"}, "X-Sandbox-Port": {port}, "X-Sandbox-Timeout": {"20"}}
	out := httptest.NewRecorder()
	h.ServeHTTP(out, request)
	if out.Code != http.StatusGatewayTimeout || !strings.Contains(out.Body.String(), "within 1ms") {
		t.Errorf("answer %d %s", out.Code, out.Body)
	}
}

func TestAFaultOfTheRouterIsNotQuoted(t *testing.T) {
	if is := asReply(errors.New("secret")); is.Status != http.StatusBadGateway || strings.Contains(is.Detail, "secret") {
		t.Errorf("answer %+v", is)
	}
}

// Whoever makes up tokens must not load the API server, and must not hold up the rest.
func TestReviewsAloneHaveARateLimit(t *testing.T) {
	clients, err := Connect(&rest.Config{Host: "http://127.0.0.1:1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	limit := clients.Reviews.AuthenticationV1().RESTClient().GetRateLimiter()
	if limit == nil || limit.QPS() != reviewQPS {
		t.Errorf("the limit of reviews is %v", limit)
	}
	if limit := clients.Kubernetes.CoreV1().RESTClient().GetRateLimiter(); limit != nil {
		t.Errorf("the limit of the rest is %v", limit.QPS())
	}
	if limit := clients.Sandboxes.AgentsV1beta1().RESTClient().GetRateLimiter(); limit != nil {
		t.Errorf("the limit of Sandboxes is %v", limit.QPS())
	}
}

func TestALongPathFillsNoLog(t *testing.T) {
	w := newWorld(t, nil)
	w.ask(http.MethodGet, "/"+strings.Repeat("a", 5000), "", "X-Sandbox-ID", "box")
	w.eventually("it is logged", func() bool { return strings.Contains(w.logged(), `"msg":"request"`) })
	if count := strings.Count(w.logged(), "a"); !strings.Contains(w.logged(), `"path":"/aaa`) || count > 1000 {
		t.Errorf("the log has it %d times", count)
	}
}
