// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/transport"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// hasty returns limits that a busy machine keeps too: RetryFor has room for several handshakes after a stall.
func hasty() transport.Limits {
	return transport.Limits{
		Response: 2 * time.Second, Idle: 900 * time.Millisecond, RetryFor: 5 * time.Second,
		Pause: 20 * time.Millisecond,
	}
}

// server records requests and answers with a list, or as the test says.
type server struct {
	*httptest.Server
	between *proxy.Proxy
	client  *http.Client

	mu     sync.Mutex
	asked  []string
	answer func(w http.ResponseWriter, r *http.Request)
}

func serve(t *testing.T, http2 bool, answer func(w http.ResponseWriter, r *http.Request)) *server {
	t.Helper()
	s := &server{answer: answer}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		s.answer(w, r)
	}))
	s.EnableHTTP2 = http2
	s.StartTLS()
	t.Cleanup(s.Server.Close)
	var err error
	if s.between, err = proxy.New(s.Listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.between.Close)
	base := s.Server.Client().Transport.(*http.Transport)
	t.Cleanup(base.CloseIdleConnections)
	s.client = &http.Client{Transport: transport.New(base, clock.RealClock{}, hasty(), false)}
	return s
}

func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *server) do(t *testing.T, method, path string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "https://"+s.between.Address()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	return string(all), err
}

var list = strings.Repeat("0123456789", 20_000)

func whole(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, list) }

func overBoth(t *testing.T, test func(t *testing.T, http2 bool)) {
	t.Helper()
	t.Run("HTTP 1.1", func(t *testing.T) { t.Parallel(); test(t, false) })
	t.Run("HTTP 2", func(t *testing.T) { t.Parallel(); test(t, true) })
}
