// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tunnel_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

func connect(t *testing.T, dial tunnel.Dial, port uint16) *tunnel.Conn {
	t.Helper()
	conn, err := tunnel.DialPort(t.Context(), dial, port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestAConnectionCarriesBothWaysAndHalfOfItCanBeClosed(t *testing.T) {
	for name, onlySPDY := range map[string]bool{"WebSocket": false, "SPDY": true} {
		t.Run(name, func(t *testing.T) {
			leaks.Check(t, "sdk/")
			dial, _ := dialer(t, onlySPDY, echo)
			conn := connect(t, dial, 80)
			sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
			go func() {
				_, _ = conn.Write(sent)
				_ = conn.CloseWrite()
			}()
			got, err := io.ReadAll(conn)
			if err != nil || string(got) != "port 80: "+string(sent) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if _, err := conn.Write([]byte("more")); err == nil {
				t.Error("it writes after the end")
			}
			if conn.RemoteAddr().String() != "sandbox:80" || conn.LocalAddr().Network() != "port-forward" {
				t.Errorf("%v, %v", conn.LocalAddr(), conn.RemoteAddr())
			}
		})
	}
}

func TestAPortThatNobodyListensOnIsSaidByTheFirstRead(t *testing.T) {
	leaks.Check(t, "sdk/")
	dial, _ := dialer(t, false, echo)
	conn := connect(t, dial, 81)
	if _, err := conn.Read(make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
	if _, err := conn.Write([]byte("x")); err == nil {
		t.Error("it can still be written to")
	}
}

func TestDeadlinesOfAConnection(t *testing.T) {
	leaks.Check(t, "sdk/")
	dial, _ := dialer(t, false, echo)
	conn := connect(t, dial, 80)
	if _, err := io.ReadFull(conn, make([]byte, len("port 80: "))); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Millisecond))
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	_ = conn.SetDeadline(time.Time{})
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Errorf("after the deadline was taken away: %v", err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		t.Errorf("after the deadline was taken away: %v", err)
	}
}

func TestWhatWasWrittenBeforeAConnectionIsClosedArrives(t *testing.T) {
	leaks.Check(t, "sdk/")
	got := make(chan int, 1)
	dial, _ := dialer(t, false, func(_ context.Context, _ int32, connection io.ReadWriteCloser) error {
		all, err := io.ReadAll(connection)
		got <- len(all)
		return err
	})
	conn := connect(t, dial, 80)
	if _, err := conn.Write(make([]byte, 100_000)); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if n := <-got; n != 100_000 {
		t.Errorf("%d bytes arrived", n)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("reading: %v", err)
	}
	if _, err := conn.Write(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("writing: %v", err)
	}
}

func TestAClosedConnectionEndsAlthoughTheRemoteEndDoesNotClose(t *testing.T) {
	leaks.Check(t, "sdk/")
	ended := make(chan struct{})
	dial, _ := dialer(t, false, func(_ context.Context, _ int32, connection io.ReadWriteCloser) error {
		defer close(ended)
		_, _ = io.Copy(io.Discard, connection) // to the end of what the client sends
		_, err := io.Copy(connection, neverEnding{})
		return err
	})
	conn := connect(t, dial, 80)
	_ = conn.Close()
	<-ended
}

func TestAConnectionIsOneForHTTP(t *testing.T) {
	leaks.Check(t, "sdk/")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s", r.URL, text)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	dial, _ := dialer(t, false, func(ctx context.Context, _ int32, connection io.ReadWriteCloser) error {
		to, err := (&net.Dialer{}).DialContext(ctx, "tcp", listener.Addr().String())
		if err != nil {
			return err
		}
		defer to.Close()
		go func() { _, _ = io.Copy(to, connection) }()
		_, err = io.Copy(connection, to)
		return err
	})
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return tunnel.DialPort(ctx, dial, 80)
	}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for range 3 {
		response, err := client.Post("http://sandbox/path", "text/plain", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if string(text) != "/path body" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
	}
}

func TestAConnectionThatGoesSilentIsLost(t *testing.T) {
	leaks.Check(t, "sdk/")
	server := fakeserver.New()
	t.Cleanup(server.Close)
	server.Forward = echo
	between, config, err := proxy.For(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(between.Close)
	network, err := stream.New(config, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	network = network.WithTimeouts(hasty)
	conn := connect(t, func(ctx context.Context) (httpstream.Connection, error) {
		return network.Forward(ctx, "ns", "pod")
	}, 80)
	between.Now(proxy.Stall)
	_, err = io.ReadAll(conn)
	if err == nil || !strings.Contains(err.Error(), "the connection to the sandbox was lost") {
		t.Errorf("got %v", err)
	}
}

func TestDialingEndsWithItsContext(t *testing.T) {
	leaks.Check(t, "sdk/")
	dial, _ := dialer(t, false, echo)
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := tunnel.DialPort(ctx, dial, 80)
	if err != nil {
		t.Fatal(err)
	}
	cancel() // it limits only the dialing
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, len("port 80: "))); err != nil {
		t.Errorf("after the end of the context of the dialing: %v", err)
	}
	if _, err := tunnel.DialPort(ctx, dial, 80); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
