// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// echo returns a proxy to a server that sends back what it receives.
func echo(t *testing.T) *proxy.Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()
	p, err := proxy.New(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		_ = listener.Close()
	})
	return p
}

func dial(t *testing.T, p *proxy.Proxy) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.TCPConn)
}

func TestFaultsHappenAtTheirByte(t *testing.T) {
	text := bytes.Repeat([]byte("x"), 1000)
	for name, tt := range map[string]struct {
		fault proxy.Fault
		want  int
		over  func(error) bool
	}{
		"nothing": {want: 1000, over: func(err error) bool { return err == nil }},
		"an end after 300": {
			fault: proxy.Fault{Action: proxy.End, Received: 300}, want: 300,
			over: func(err error) bool { return err == nil },
		},
		"a reset after 300": {
			fault: proxy.Fault{Action: proxy.Reset, Received: 300}, want: -1,
			over: func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		},
		"a stall after 300":    {fault: proxy.Fault{Action: proxy.Stall, Received: 300}, want: 300, over: isTimeout},
		"a stall of what goes": {fault: proxy.Fault{Action: proxy.Stall, Sent: 300}, want: -1, over: isTimeout},
		"a stall at once":      {fault: proxy.Fault{Action: proxy.Stall}, want: 0, over: isTimeout},
		"swallowed after 300":  {fault: proxy.Fault{Action: proxy.Swallow, Received: 300}, want: 300, over: isTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			p := echo(t)
			p.Always(tt.fault)
			conn := dial(t, p)
			if _, err := conn.Write(text); err != nil {
				t.Fatal(err)
			}
			_ = conn.CloseWrite()
			_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
			got, err := io.ReadAll(conn)
			if tt.want >= 0 && len(got) != tt.want || !tt.over(err) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if p.Connections() != 1 {
				t.Errorf("%d connections", p.Connections())
			}
		})
	}
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

func TestWhatWasStalledGoesOn(t *testing.T) {
	p := echo(t)
	p.Always(proxy.Fault{Action: proxy.Stall, Sent: 10})
	conn := dial(t, p)
	if _, err := conn.Write(bytes.Repeat([]byte("x"), 1000)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := io.ReadFull(conn, make([]byte, 1000)); !isTimeout(err) {
		t.Fatalf("%d bytes came, %v", n, err)
	}
	p.Now(proxy.Pass)
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadFull(conn, make([]byte, 900)); err != nil {
		t.Error(err)
	}
}
