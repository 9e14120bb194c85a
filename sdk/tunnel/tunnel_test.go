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
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// run starts a tunnel and returns its events and what ends it.
func run(
	t *testing.T, dial func(context.Context) (httpstream.Connection, error), ports ...tunnel.Port,
) (chan tunnel.Event, context.CancelFunc, chan error) {
	t.Helper()
	events, over := make(chan tunnel.Event, 100), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	tun := &tunnel.Tunnel{
		Dial: dial, Addresses: []string{"127.0.0.1"}, Ports: ports, Report: func(e tunnel.Event) { events <- e },
	}
	go func() { over <- tun.Run(ctx) }()
	return events, cancel, over
}

func dialer(
	t *testing.T, onlySPDY bool, forward func(context.Context, int32, io.ReadWriteCloser) error,
) (func(context.Context) (httpstream.Connection, error), *fakeserver.Server) {
	t.Helper()
	server := fakeserver.New()
	t.Cleanup(server.Close)
	server.OnlySPDY, server.Forward = onlySPDY, forward
	network, err := stream.New(server.Config(), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) (httpstream.Connection, error) { return network.Forward(ctx, "ns", "pod") }, server
}

func echo(_ context.Context, port int32, connection io.ReadWriteCloser) error {
	if port == 81 {
		return errors.New("dial tcp4 127.0.0.1:81: connect: connection refused")
	}
	if _, err := fmt.Fprintf(connection, "port %d: ", port); err != nil {
		return err
	}
	_, err := io.Copy(connection, connection)
	return err
}

// ask sends the text to a listener, closes its half, and returns the answer.
func ask(t *testing.T, address net.Addr, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		_, _ = io.Copy(conn, strings.NewReader(text))
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	answer, _ := io.ReadAll(conn) // a reset is an empty answer
	return string(answer)
}

func TestTunnelCarries(t *testing.T) {
	for name, onlySPDY := range map[string]bool{"WebSocket": false, "SPDY": true} {
		t.Run(name, func(t *testing.T) {
			dial, _ := dialer(t, onlySPDY, echo)
			events, cancel, over := run(t, dial, tunnel.Port{Remote: 80}, tunnel.Port{Remote: 443}, tunnel.Port{Remote: 81})
			one, other, refused := <-events, <-events, <-events
			large := string(bytes.Repeat([]byte("x"), 1<<20))
			if got := ask(t, one.Listener, large); got != "port 80: "+large {
				t.Errorf("%d bytes came back", len(got))
			}
			if got := ask(t, refused.Listener, "x"); got != "" {
				t.Errorf("got %q from a port that refuses", got)
			}
			if got := ask(t, other.Listener, "still here"); got != "port 443: still here" {
				t.Errorf("after a refused connection: got %q", got)
			}
			cancel()
			if err := <-over; err != nil {
				t.Errorf("an end that was asked for is no error: %v", err)
			}
			close(events)
			var failures []string
			for e := range events {
				if e.Err != nil {
					failures = append(failures, fmt.Sprintf("%d: %v", e.Remote, e.Err))
				}
			}
			if len(failures) != 1 || !strings.HasPrefix(failures[0], "81: connection refused") {
				t.Errorf("failures: %q", failures)
			}
		})
	}
}

// resetting resets the data stream before it is open, and reports why on the error stream, as SPDY does when the remote
// end is fast.
type resetting struct {
	httpstream.Connection
	closed chan bool
}

type said struct {
	httpstream.Stream
	io.Reader
}

func (s said) Read(into []byte) (int, error) { return s.Reader.Read(into) }
func (s said) Close() error                  { return nil }

func (r resetting) CloseChan() <-chan bool { return r.closed }
func (r resetting) Close() error           { return nil }

func (r resetting) CreateStream(headers http.Header) (httpstream.Stream, error) {
	if headers.Get(corev1.StreamType) == corev1.StreamTypeData {
		return nil, errors.New("Stream reset")
	}
	return said{Reader: strings.NewReader("dial tcp4 127.0.0.1:81: connect: connection refused")}, nil
}

func TestARefusalThatComesBeforeTheStreamIsOpenIsToldAsSuch(t *testing.T) {
	dial := func(context.Context) (httpstream.Connection, error) { return resetting{closed: make(chan bool)}, nil }
	events, cancel, over := run(t, dial, tunnel.Port{Remote: 81})
	_ = ask(t, (<-events).Listener, "x")
	<-events // connected
	if e := <-events; e.Err == nil || !strings.HasPrefix(e.Err.Error(), "connection refused: nothing listens") {
		t.Errorf("got %v", e.Err)
	}
	cancel()
	if err := <-over; err != nil {
		t.Errorf("an end that was asked for is no error: %v", err)
	}
}

func TestTunnelSurvivesACutConnection(t *testing.T) {
	dial, server := dialer(t, false, echo)
	events, _, _ := run(t, dial, tunnel.Port{Remote: 80})
	listening := <-events
	server.Cut()
	if got := ask(t, listening.Listener, "again"); got != "port 80: again" {
		t.Errorf("got %q", got)
	}
}

func TestTunnelThatCannotWorkSaysSoBeforeListening(t *testing.T) {
	refused := errors.New("forbidden")
	events, _, over := run(
		t, func(context.Context) (httpstream.Connection, error) { return nil, refused }, tunnel.Port{Remote: 80},
	)
	if err := <-over; !errors.Is(err, refused) || len(events) > 0 {
		t.Errorf("got %v, %d events", err, len(events))
	}
}

func TestTunnelEndsWhenThereIsNothingToDial(t *testing.T) {
	dial, _ := dialer(t, false, echo)
	gone := false
	events, _, over := run(t, func(ctx context.Context) (httpstream.Connection, error) {
		if gone {
			return nil, fmt.Errorf("sandbox dev was deleted: %w", tunnel.ErrGone)
		}
		gone = true
		return dial(ctx)
	}, tunnel.Port{Remote: 80})
	_ = ask(t, (<-events).Listener, "x")
	if err := <-over; !errors.Is(err, tunnel.ErrGone) {
		t.Errorf("got %v", err)
	}
}

func TestTunnelRefusesATakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dial, _ := dialer(t, false, echo)
	_, _, over := run(t, dial, tunnel.Port{Local: uint16(taken.Addr().(*net.TCPAddr).Port), Remote: 80})
	if err := <-over; err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v", err)
	}
}

// hasty has short timeouts.
var hasty = stream.Timeouts{
	PingInterval: 50 * time.Millisecond, Idle: 450 * time.Millisecond, Response: 450 * time.Millisecond,
}

func TestAConnectionThatGoesSilentEndsAndTheNextIsMadeAnew(t *testing.T) {
	for name, onlySPDY := range map[string]bool{"WebSocket": false, "SPDY": true} {
		for kind, busy := range map[string]bool{"idle": false, "busy": true} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				server := fakeserver.New()
				t.Cleanup(server.Close)
				server.OnlySPDY, server.Forward = onlySPDY, echo
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
				dial := func(ctx context.Context) (httpstream.Connection, error) { return network.Forward(ctx, "ns", "pod") }
				events, _, _ := run(t, dial, tunnel.Port{Remote: 80})
				listener := (<-events).Listener
				conn, err := net.Dial("tcp", listener.String())
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := io.ReadFull(conn, make([]byte, len("port 80: "))); err != nil {
					t.Fatal(err)
				}
				between.Now(proxy.Stall)
				if busy {
					go func() { _, _ = io.Copy(conn, neverEnding{}) }() // until it is closed
				}
				_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
				if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal("it is still open")
				}
				<-events // connected
				if e := <-events; e.Err == nil || !strings.Contains(e.Err.Error(), "the connection to the sandbox was lost") {
					t.Errorf("got %v", e.Err)
				}
				if got := ask(t, listener, "again"); got != "port 80: again" {
					t.Errorf("got %q", got)
				}
			})
		}
	}
}

// A port that reads nothing for a while is not a lost connection.
func TestAPortThatTakesNothingForAWhileLosesNothing(t *testing.T) {
	const size = 8 << 20
	server := fakeserver.New()
	t.Cleanup(server.Close)
	server.Forward = func(_ context.Context, _ int32, connection io.ReadWriteCloser) error {
		<-time.After(3 * hasty.Idle)
		n, err := io.Copy(io.Discard, connection)
		_, _ = fmt.Fprint(connection, n)
		return err
	}
	network, err := stream.New(server.Config(), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	network = network.WithTimeouts(hasty)
	events, _, _ := run(
		t, func(ctx context.Context) (httpstream.Connection, error) { return network.Forward(ctx, "ns", "pod") },
		tunnel.Port{Remote: 80},
	)
	if got := ask(t, (<-events).Listener, strings.Repeat("x", size)); got != strconv.Itoa(size) {
		t.Errorf("got %q", got)
	}
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) { clear(p); return len(p), nil }
