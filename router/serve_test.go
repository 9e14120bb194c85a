// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// A rolling restart as the clients see it: they send requests all the time, to whichever router is ready.
func TestNoRequestFailsDuringARollingRestart(t *testing.T) {
	slow := func(c *Config) { c.DrainDelay = 3 * time.Second }
	port := pod(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	before, after := newWorld(t, slow), newWorld(t, slow)
	var ready atomic.Pointer[world] // what the endpoints of the Service say
	ready.Store(before)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var sent atomic.Int64
	for range 8 {
		all.Go(func() {
			for ctx.Err() == nil {
				w := ready.Load()
				got := w.ask(http.MethodPost, "/", "body", "Authorization", "Bearer ann", "X-Sandbox-ID", "box", "X-Sandbox-Port",
					port)
				if got.status != 200 || got.body != "body" {
					t.Errorf("answer %+v", got)
				}
				sent.Add(1)
			}
		})
	}
	before.eventually("requests are sent", func() bool { return sent.Load() > 100 })
	before.stop()
	before.eventually("it is not ready",
		func() bool { return before.adminStatus("/readyz") == http.StatusServiceUnavailable })
	count := sent.Load()
	before.eventually("it still answers", func() bool { return sent.Load() > count+20 })
	ready.Store(after)
	if err := <-before.ended; err != nil {
		t.Errorf("the end: %v", err)
	}
	count = sent.Load()
	after.eventually("the other one answers", func() bool { return sent.Load() > count+20 })
	cancel()
	all.Wait()
	if before.listens() {
		t.Error("it still serves")
	}
}

// listens reports whether the router accepts connections.
func (w *world) listens() bool {
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

func TestADrainingRouterAsksForNewConnections(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.DrainDelay = time.Second })
	port := pod(t, func(http.ResponseWriter, *http.Request) {})
	if got := w.as("ann", "box", port); got.header.Get("Connection") == "close" {
		t.Errorf("before: %+v", got)
	}
	w.stop()
	w.eventually("it asks for them", func() bool {
		response, err := w.client.Get(w.url + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.Close
	})
}

func TestWhatRunsWhenTheRouterStopsMayEnd(t *testing.T) {
	w := newWorld(t, nil)
	begun, release := make(chan struct{}), make(chan struct{})
	port := pod(t, func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-release
		_, _ = io.WriteString(w, "late")
	})
	answered := make(chan answer)
	go func() { answered <- w.as("ann", "box", port) }()
	<-begun
	w.stop()
	w.eventually("it accepts no more", func() bool { return !w.listens() })
	close(release)
	if got := <-answered; got.body != "late" {
		t.Errorf("answer %+v", got)
	}
	if err := <-w.ended; err != nil {
		t.Errorf("the end: %v", err)
	}
}

func TestWhatDoesNotEndIsStopped(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.DrainTimeout = 100 * time.Millisecond })
	begun := make(chan struct{}, 1)
	port := pod(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ws" {
			conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _, _ = conn.ReadMessage()
			return
		}
		begun <- struct{}{}
		<-r.Context().Done()
	})
	header := http.Header{"Authorization": {"Bearer ann"}, "X-Sandbox-ID": {"box"}, "X-Sandbox-Port": {port}}
	conn, response, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(w.url, "http")+"/ws",
		header)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	defer conn.Close()
	answered := make(chan answer)
	go func() { answered <- w.as("ann", "box", port) }()
	<-begun
	w.stop()
	if got := <-answered; got.status != 503 || got.detail != "The router is shutting down." ||
		got.header.Get("Retry-After") == "" {
		t.Errorf("answer %+v", got)
	}
	if _, _, err := conn.ReadMessage(); err == nil {
		t.Error("the WebSocket goes on")
	}
	if err := <-w.ended; err != nil {
		t.Errorf("the end: %v", err)
	}
}

func TestAClientThatDoesNotTakeItsResponseIsLetGo(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.StallTimeout = time.Second })
	failed := make(chan error, 1)
	port := pod(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				failed <- err
				return
			}
		}
	})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = fmt.Fprintf(conn,
		"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ann\r\nX-Sandbox-ID: box\r\nX-Sandbox-Port: %s\r\n\r\n", port)
	if err := <-failed; err == nil {
		t.Error("no error")
	}
}

func TestAClientThatIsRefusedAndDoesNotSendItsBodyIsLetGo(t *testing.T) {
	w := newWorld(t, nil)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nX-Sandbox-ID: box\r\nContent-Length: 100\r\n\r\nhalf")
	text, err := io.ReadAll(conn) // until the router closes it
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 401 ") {
		t.Errorf("answer %q, %v", text, err)
	}
}

func TestHugeHeadersAreRefused(t *testing.T) {
	w := newWorld(t, nil)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		_, _ = fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: a\r\nX-Sandbox-ID: %s\r\n\r\n", strings.Repeat("a",
			maxHeader+8<<10))
	}()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("answer %d", response.StatusCode)
	}
	if f := newFront(nil, nil, w.logger()); f.server.ReadHeaderTimeout == 0 || f.server.IdleTimeout == 0 {
		t.Error("a client may take its time for the header, or hold a connection")
	}
}

func TestARouterThatCannotWorkSaysWhy(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"a wrong flag":     {func(c *Config) { c.BindAddress = "x" }, "--bind-address"},
		"a missing secret": {func(c *Config) { c.TokenFile = "/none" }, "read a secret"},
		"a weak key":       {func(c *Config) { c.SigningKeyFile = secret(t, "short") }, "want at least 32"},
		"no certificate":   {func(c *Config) { c.TLSCertFile, c.TLSKeyFile = "/none", "/none" }, "read the certificate"},
		"a port in use":    {func(c *Config) { c.ProbeBindAddress = "192.0.2.1:1" }, "listen for probes"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t}
			config := Defaults()
			config.BindAddress, config.ProbeBindAddress = "127.0.0.1:0", "127.0.0.1:0"
			tt.change(&config)
			clients := newWorld(t, nil)
			err := Run(t.Context(), config, Clients{clients.sandboxes, clients.kubernetes, clients.kubernetes}, w.logger())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := Connect(nil, errors.ErrUnsupported); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}
