// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package await_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/transport"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// silentServer serves one Sandbox over HTTP/1.1 and through a proxy. The Sandbox becomes ready when the test says so.
type silentServer struct {
	ready   atomic.Bool
	watches atomic.Int32
	between *proxy.Proxy
	waiter  *await.Waiter
}

func (s *silentServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Query().Get("watch") == "true":
		_ = http.NewResponseController(w).Flush()
		s.watches.Add(1)
		<-r.Context().Done()
	case strings.HasSuffix(r.URL.Path, "/sandboxes/dev"):
		object := sandbox()
		if s.ready.Load() {
			object = sandbox(ready)
		}
		object.TypeMeta = metav1.TypeMeta{APIVersion: agentsv1beta1.SchemeGroupVersion.String(), Kind: "Sandbox"}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object)
	case strings.HasSuffix(r.URL.Path, "/pods"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`))
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`))
	}
}

func serveSilently(t *testing.T) *silentServer {
	t.Helper()
	s := &silentServer{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	between, config, err := proxy.For(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(between.Close)
	s.between = between
	limits := transport.Limits{
		Response: 2 * time.Second, Idle: 500 * time.Millisecond, RetryFor: time.Second, Pause: 20 * time.Millisecond,
	}
	config.Transport = &http.Transport{} // of this test alone: it shares no connection
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport.New(next, clock.RealClock{}, limits, false)
	})
	sandboxes, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	s.waiter = await.New(sandboxes, core, clock.RealClock{})
	return s
}

func TestWaitingGoesOnOverAnotherConnectionWhenOneGoesSilent(t *testing.T) {
	t.Parallel()
	s := serveSilently(t)
	over := make(chan error, 1)
	go func() {
		r := request(await.Ready)
		r.Timeout = time.Minute
		_, err := s.waiter.For(t.Context(), r)
		over <- err
	}()
	for s.watches.Load() < 2 { // the Sandbox and its Pods
		<-time.After(time.Millisecond)
	}
	s.between.Now(proxy.Stall)
	s.ready.Store(true)
	select {
	case err := <-over:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it still waits")
	}
}

func TestASilentAPIServerDoesNotMakeTheWaitLonger(t *testing.T) {
	t.Parallel()
	s := serveSilently(t)
	s.between.Always(proxy.Fault{Action: proxy.Stall})
	r := request(await.Ready)
	r.Timeout = 300 * time.Millisecond
	begun := time.Now()
	_, err := s.waiter.For(t.Context(), r)
	if timedOut := (&await.TimeoutError{}); !errors.As(err, &timedOut) || time.Since(begun) > 1800*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
}
