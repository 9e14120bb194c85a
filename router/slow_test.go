// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
)

// pipes is a listener whose connections live in the bubble of a test.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// bubble runs a test with a connection to a front that answers every request at once, or with hold after a day.
func bubble(t *testing.T, hold bool, test func(t *testing.T, conn net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{make(chan net.Conn), make(chan struct{})}
		f := newFront(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if hold {
				select {
				case <-r.Context().Done():
				case <-time.After(24 * time.Hour):
				}
			}
		}), nil, logr.Discard())
		go func() { _ = f.server.Serve(listener) }()
		client, server := net.Pipe()
		listener.conns <- server
		test(t, client)
		_ = client.Close()
		_ = f.server.Close()
	})
}

// A client that takes its time for the header of a request, or does not send one, is let go.
func TestASlowClientIsLetGo(t *testing.T) {
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	settings := string([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0})
	// The header of a request whose end does not come: a frame HEADERS without END_HEADERS.
	header := string([]byte{0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82})
	for name, tt := range map[string]struct {
		sends string
		after time.Duration
	}{
		"it sends nothing":                        {"", readHeaderTimeout},
		"it sends half a header":                  {"GET / HTTP/1.1\r\nHost: a\r\nX-Sandbox-ID: b", readHeaderTimeout},
		"it sends no other request":               {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", idleTimeout},
		"it sends half of the preface of HTTP/2":  {preface[:20], readHeaderTimeout},
		"it sends no request in HTTP/2":           {preface + settings, pingAfter + pingTimeout},
		"it sends half a header in HTTP/2":        {preface + settings + header, pingAfter + pingTimeout},
		"it sends half of the header of a frame":  {preface + settings + header[:4], pingAfter + pingTimeout},
		"it sends the settings of HTTP/2 halfway": {preface + settings[:4], pingAfter + pingTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, false, func(t *testing.T, conn net.Conn) {
				began := time.Now()
				go func() { _, _ = io.WriteString(conn, tt.sends) }()
				_, _ = io.Copy(io.Discard, conn) // until the router closes it
				if is := time.Since(began); is > tt.after+time.Second {
					t.Errorf("it is let go after %s", is)
				}
			})
		})
	}
}

func TestAClientOfHTTP2ThatIsGoneEndsItsRequests(t *testing.T) {
	request := string([]byte{0, 0, 4, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84, 0x81}) // GET http / with an odd authority
	bubble(t, true, func(t *testing.T, conn net.Conn) {
		began := time.Now()
		go func() {
			_, _ = io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+string([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0})+request)
		}()
		_, _ = io.Copy(io.Discard, conn) // and answers no pings
		if is := time.Since(began); is > pingAfter+pingTimeout+time.Second {
			t.Errorf("it is let go after %s", is)
		}
	})
}
