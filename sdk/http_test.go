// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package sdk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

// listens starts a server on loopback, which is a port of every Pod, and returns the port.
func (w *routed) listens(t *testing.T, handler http.HandlerFunc) int {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return portOf(strings.TrimPrefix(server.URL, "http://"))
}

func TestAnHTTPClientReachesAPortWhateverTheWay(t *testing.T) {
	leaks.Check(t, "sdk")
	w := startRouted(t)
	port := w.listens(t, func(writer http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect" {
			http.Redirect(writer, r, "/elsewhere", http.StatusFound)
			return
		}
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(writer, "%s %s %s %t", r.Method, r.RequestURI, body, r.Header.Get("X-Request-ID") != "")
	})
	away := w.listens(t, func(writer http.ResponseWriter, r *http.Request) {
		http.Redirect(writer, r, "http://example.com/", http.StatusFound)
	})
	w.eachWay(t, func(t *testing.T, client *sdk.Client) {
		box := create(t, client, sdk.Spec{Template: "t"})
		web := box.HTTPClient(port)
		for path, want := range map[string]string{
			"/a%2Fb/%20c?d=e%2F":  "POST /a%2Fb/%20c?d=e%2F body true",
			"/redirect?and=after": "GET /elsewhere  true",
		} {
			response, err := web.Post("http://sandbox"+path, "text/plain", strings.NewReader("body"))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if string(text) != want || err != nil {
				t.Errorf("got %q, %v, want %q", text, err, want)
			}
		}
		response, err := box.HTTPClient(away).Get("http://sandbox/")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusFound {
			t.Errorf("a redirect to another host was followed: %s", response.Status)
		}
	})
}

func TestAnUpgradedConnectionGoesBothWaysAndEndsWithItsHandle(t *testing.T) {
	leaks.Check(t, "sdk")
	w := startRouted(t)
	port := w.listens(t, func(writer http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := writer.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_, _ = io.Copy(conn, buffered)
	})
	w.eachWay(t, func(t *testing.T, client *sdk.Client) {
		box := create(t, client, sdk.Spec{Template: "t"})
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://sandbox/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Connection", "Upgrade")
		request.Header.Set("Upgrade", "echo")
		response, err := box.Transport(port).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		both, ok := response.Body.(io.ReadWriteCloser)
		if !ok {
			t.Fatalf("the body is a %T", response.Body)
		}
		if _, err := io.WriteString(both, "hello\n"); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(both)
		if line, err := lines.ReadString('\n'); line != "hello\n" || err != nil {
			t.Errorf("got %q, %v", line, err)
		}
		closed := make(chan error, 1)
		ctx, cancel := context.WithCancel(context.Background())
		go func() { closed <- box.Close(ctx) }()
		cancel() // it does not wait for the connection
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if _, err := lines.ReadString('\n'); err == nil {
			t.Error("it is still open")
		}
	})
}

func TestAnAnswerThatDoesNotBeginIsNotWaitedForAndOneThatHasBegunIs(t *testing.T) {
	leaks.Check(t, "sdk")
	const limit = 2 * time.Second // a busy machine answers within it
	w := startRouted(t)
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	port := w.listens(t, func(writer http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/never":
			select {
			case <-r.Context().Done():
			case <-over:
			}
		case "/slowly":
			for range 4 {
				_, _ = io.WriteString(writer, "x")
				_ = http.NewResponseController(writer).Flush()
				<-time.After(limit / 2)
			}
		case "/takes":
			n, _ := io.Copy(io.Discard, r.Body)
			_, _ = fmt.Fprint(writer, n)
		}
	})
	for name, client := range map[string]*sdk.Client{
		"to the Pod": w.client(sdk.WithRequestTimeout(limit)),
		"to the router": w.client(sdk.WithRequestTimeout(limit), sdk.WithRouterToken(connect.Token(secretToken)),
			sdk.WithConnection(connect.URL("http://"+w.router))),
	} {
		t.Run(name, func(t *testing.T) {
			web := create(t, client, sdk.Spec{Template: "t"}).HTTPClient(port)
			response, err := web.Get("http://sandbox/never")
			switch {
			case err == nil: // the router was faster
				_ = response.Body.Close()
				if response.StatusCode != http.StatusGatewayTimeout {
					t.Errorf("got %s", response.Status)
				}
			case !errors.Is(err, sdk.ErrTimeout):
				t.Errorf("got %v", err)
			}
			if response, err = web.Get("http://sandbox/slowly"); err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if string(text) != "xxxx" || err != nil {
				t.Errorf("got %q, %v", text, err)
			}
			body, feed := io.Pipe()
			go func() {
				for range 4 {
					_, _ = io.WriteString(feed, "x")
					<-time.After(limit / 2)
				}
				_ = feed.Close()
			}()
			if response, err = web.Post("http://sandbox/takes", "text/plain", body); err != nil {
				t.Fatal(err)
			}
			text, err = io.ReadAll(response.Body)
			_ = response.Body.Close()
			if string(text) != "4" || err != nil {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}
