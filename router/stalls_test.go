// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestPathsArriveByteForByteInEveryProtocol(t *testing.T) {
	w := newWorld(t, nil)
	port := podOfBoth(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RequestURI) })
	bothSides(t, func(t *testing.T, transport *http.Transport, contentType string) {
		for _, path := range []string{
			"/", "/a%2Fb", "/a%2fb", "/a/../b", "/a/./b//c", "/%2e%2e/%2E", "/a|b^{}", "/a%00b", "/%C3%A4", "/%25zz",
		} {
			request := w.to(http.MethodPost, "", port, nil)
			request.Header.Set("Content-Type", contentType)
			request.URL.Opaque, request.URL.RawQuery = path, "a=b;c&d=%20+"
			if got := read(t, send(t, transport, request)); got != path+"?a=b;c&d=%20+" {
				t.Errorf("%s arrives as %s", path, got)
			}
		}
	})
}

func TestEarlyHintsPass(t *testing.T) {
	w := newWorld(t, nil)
	port := podOfBoth(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</a>")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		_, _ = io.WriteString(w, "body")
	})
	bothSides(t, func(t *testing.T, transport *http.Transport, contentType string) {
		request := w.to(http.MethodPost, "/", port, nil)
		request.Header.Set("Content-Type", contentType)
		hints := ""
		request = request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
				hints += fmt.Sprint(code, header["Link"])
				return nil
			},
		}))
		if got := read(t, send(t, transport, request)); got != "body" || hints != "103 [</a>]" {
			t.Errorf("answer %q with hints %s", got, hints)
		}
	})
	w.eventually("the log has the last status", func() bool {
		return strings.Count(w.logged(), `"status":200`) == 4 && !strings.Contains(w.logged(), `"status":103`)
	})
}

// A gateway sends the requests of many clients over one connection. What one of them does must not hold up the others.
func TestAStalledStreamBlocksNoOtherOfItsConnection(t *testing.T) {
	w := newWorld(t, nil)
	begun, release := make(chan struct{}, 100), make(chan struct{})
	defer close(release)
	port := podOfBoth(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/deaf": // reads nothing of what it is sent
			begun <- struct{}{}
			<-release
		case "/endless":
			begun <- struct{}{}
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		default:
			all, _ := io.ReadAll(r.Body)
			_, _ = w.Write(all)
		}
	})
	body := strings.Repeat("x", 1<<20)
	for name, tt := range map[string]struct {
		path, contentType string
		body              func() io.Reader
	}{
		"uploads that the Pod does not read":           {"/deaf", "", func() io.Reader { return endless{} }},
		"uploads that a Pod with HTTP/2 does not read": {"/deaf", grpc, func() io.Reader { return endless{} }},
		"responses that the client does not read":      {"/endless", "", func() io.Reader { return nil }},
		"responses of a Pod with HTTP/2":               {"/endless", grpc, func() io.Reader { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			transport := transportOf(t, "HTTP/2.0")
			for range 5 {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				stalled := w.to(http.MethodPost, tt.path, port, tt.body()).WithContext(ctx)
				stalled.Header.Set("Content-Type", tt.contentType)
				go func() {
					if response, err := transport.RoundTrip(stalled); err == nil {
						defer response.Body.Close()
						<-ctx.Done()
					}
				}()
				<-begun
			}
			if strings.HasPrefix(name, "uploads") && tt.contentType == grpc {
				transport = transportOf(t, "HTTP/2.0") // the Pod has one limit for a connection, and this is another one
			}
			for range 2 {
				request := w.to(http.MethodPost, "/", port, strings.NewReader(body))
				request.Header.Set("Content-Type", tt.contentType)
				if got := read(t, send(t, transport, request)); got != body {
					t.Errorf("%d bytes came back", len(got))
				}
			}
		})
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAStalledStreamIsLetGoAndItsConnectionGoesOn(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.StallTimeout = time.Second })
	ended := make(chan error, 10)
	port := podOfBoth(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, err := io.Copy(w, r.Body)
			ended <- err
			return
		}
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				ended <- err
				return
			}
		}
	})
	bothSides(t, func(t *testing.T, transport *http.Transport, contentType string) {
		untaken := w.to(http.MethodPost, "/endless", port, nil)
		untaken.Header.Set("Content-Type", contentType)
		response := send(t, transport, untaken) // nobody reads it
		if err := <-ended; err == nil {
			t.Error("the Pod could write without an end")
		}
		if n, err := io.Copy(io.Discard, response.Body); err == nil {
			t.Errorf("a response that was ended looks complete after %d bytes", n)
		}
		out, in := io.Pipe()
		defer in.Close()
		go func() { _, _ = io.WriteString(in, "half") }()
		halved := w.to(http.MethodPost, "/", port, out)
		halved.Header.Set("Content-Type", contentType)
		halved.Header.Set("X-Sandbox-Timeout", "0.5")
		response = send(t, transport, halved)
		if got := read(t, response); response.StatusCode != http.StatusBadRequest ||
			!regexp.MustCompile(`did not arrive within (500|4\d\d)ms\.`).MatchString(got) {
			t.Errorf("answer %d %s", response.StatusCode, got)
		}
		if err := <-ended; err == nil {
			t.Error("the Pod takes half of a request for a whole one")
		}
		if next := send(t, transport, w.to(http.MethodGet, "/healthz", port, nil)); next.StatusCode != http.StatusOK {
			t.Errorf("the next request: %d", next.StatusCode)
		}
	})
}

func TestAStreamThatIsRefusedIsLetGo(t *testing.T) {
	w := newWorld(t, nil)
	for _, protocol := range protocols {
		out, in := io.Pipe() // of which nothing comes
		defer in.Close()
		request := w.to(http.MethodPost, "/", "80", out)
		request.Header.Set("Authorization", "Bearer mallory")
		if response := send(t, transportOf(t, protocol), request); response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: answer %d", protocol, response.StatusCode)
		}
	}
	w.eventually("nothing runs", func() bool {
		return strings.Contains(w.metrics(), "sandbox_router_requests_in_flight 0")
	})
}
