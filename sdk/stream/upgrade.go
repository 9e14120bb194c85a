// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
	"k8s.io/utils/clock"
)

// upgrade opens one SPDY connection. It honours its context and the timeouts, and records what client-go does not
// expose: whether the session started, and whether a status arrived.
type upgrade struct {
	*spdy.SpdyRoundTripper
	ctx       context.Context // until the session starts
	clock     clock.WithTicker
	timeouts  Timeouts
	conn      net.Conn
	stopTimer func() // of the response
	reported  atomic.Bool
	timedOut  atomic.Bool // without a response

	mu        sync.Mutex
	session   *keepaliveConn
	abandoned bool
}

func (c *Client) spdyTransport(ctx context.Context) (http.RoundTripper, *upgrade, error) {
	tls, err := rest.TLSConfigFor(c.config)
	if err != nil {
		return nil, nil, err
	}
	proxy := http.ProxyFromEnvironment
	if c.config.Proxy != nil {
		proxy = c.config.Proxy
	}
	dialer, err := spdy.NewRoundTripperWithConfig(spdy.RoundTripperConfig{TLS: tls, Proxier: proxy})
	if err != nil {
		return nil, nil, err
	}
	u := &upgrade{SpdyRoundTripper: dialer, ctx: ctx, clock: c.clock, timeouts: c.timeouts, stopTimer: func() {}}
	transport, err := rest.HTTPWrappersForConfig(c.config, u)
	return transport, u, err
}

// RoundTrip implements http.RoundTripper.
func (u *upgrade) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(u.ctx, u.timeouts.Response)
	request = request.Clone(ctx)
	request.Header.Add(httpstream.HeaderConnection, httpstream.HeaderUpgrade)
	request.Header.Add(httpstream.HeaderUpgrade, spdy.HeaderSpdy31)
	conn, err := u.Dial(request)
	if err != nil {
		cancel()
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // that ends the read
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		defer cancel()
		_ = conn.Close()                                         // it is of no use
		u.timedOut.Store(u.ctx.Err() == nil && ctx.Err() != nil) // client-go drops the error's type
		return nil, err
	}
	u.conn, u.stopTimer = conn, func() {
		stop()
		cancel()
	}
	return response, nil
}

// NewConnection implements httpstream.UpgradeRoundTripper.
func (u *upgrade) NewConnection(response *http.Response) (httpstream.Connection, error) {
	defer u.stopTimer()
	if !isSwitched(response) {
		defer u.conn.Close()
		return u.SpdyRoundTripper.NewConnection(response)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.abandoned {
		return nil, errors.Join(errClosed, u.conn.Close())
	}
	u.session = newKeepaliveConn(u.conn, u.clock, u.timeouts)
	connection, err := newConnection(u.session)
	if err != nil {
		return nil, err
	}
	return &statusConnection{Connection: connection, reported: &u.reported}, nil
}

func isSwitched(response *http.Response) bool {
	has := func(header, word string) bool {
		return strings.Contains(strings.ToLower(response.Header.Get(header)), strings.ToLower(word))
	}
	return response.StatusCode == http.StatusSwitchingProtocols &&
		has(httpstream.HeaderConnection, httpstream.HeaderUpgrade) && has(httpstream.HeaderUpgrade, spdy.HeaderSpdy31)
}

// abandon prevents a session that has not started from starting, and reports whether it has not.
func (u *upgrade) abandon() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.abandoned = u.session == nil
	return u.abandoned
}

func (u *upgrade) begun() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.session != nil
}

// end ends the session, whatever it is waiting for.
func (u *upgrade) end() {
	if !u.abandon() {
		u.session.end(nil)
	}
}

// idleError returns why an idle session ended.
func (u *upgrade) idleError() error {
	if !u.begun() {
		return nil
	}
	return u.session.Lost()
}

// statusConnection records whether a status arrived.
type statusConnection struct {
	httpstream.Connection
	reported *atomic.Bool
}

// CreateStream implements httpstream.Connection.
func (c *statusConnection) CreateStream(headers http.Header) (httpstream.Stream, error) {
	stream, err := c.Connection.CreateStream(headers)
	if err != nil || headers.Get(corev1.StreamType) != corev1.StreamTypeError {
		return stream, err
	}
	return &statusStream{Stream: stream, reported: c.reported, left: MaxReportBytes}, nil
}

type statusStream struct {
	httpstream.Stream
	reported *atomic.Bool
	left     int // bytes that may be kept
}

// Read implements io.Reader.
func (s *statusStream) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.Stream.Read(p[:min(len(p), s.left)])
	s.left -= n
	if n > 0 {
		s.reported.Store(true)
	}
	return n, err
}
