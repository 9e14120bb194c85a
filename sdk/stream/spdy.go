// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	restspdy "k8s.io/client-go/transport/spdy"
	"k8s.io/klog/v2"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
	"k8s.io/utils/clock"
)

// overSPDY serves what is carried in bulk, and API servers and proxies that know no WebSocket. It says whether the session has begun:
// before that, nothing of the input is gone. Who has not answered when late fires counts as one who refuses; nil never does.
func (c *Client) overSPDY(ctx context.Context, target *url.URL, process Process, late <-chan time.Time) (begun bool, err error) {
	transport, watched, err := c.spdyTransport()
	if err != nil {
		return false, err
	}
	executor, err := remotecommand.NewSPDYExecutorForTransports(
		transport, restspdy.NewUpgraderForStreaming(watched), http.MethodPost, target)
	if err != nil {
		return false, err
	}
	// client-go logs what it does not return.
	session, fail := context.WithCancelCause(klog.NewContext(ctx, logr.Discard()))
	defer fail(nil)
	options := remotecommand.StreamOptions{Tty: process.TTY, TerminalSizeQueue: process.Sizes}
	if process.Stdin != nil {
		options.Stdin = source{process.Stdin, session}
	}
	if process.Stdout != nil {
		options.Stdout = outlet{process.Stdout, fail}
	}
	if process.Stderr != nil {
		options.Stderr = outlet{process.Stderr, fail}
	}
	ended := make(chan error, 1)
	go func() { ended <- executor.StreamWithContext(session, options) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	case <-late:
		if !watched.connected.Load() {
			return false, errSilent // client-go waits on, and finds nobody
		}
		err = <-ended
	}
	begun = watched.connected.Load()
	switch {
	case ctx.Err() != nil:
		return begun, ctx.Err()
	case context.Cause(session) != nil:
		return begun, context.Cause(session)
	case !begun:
		return false, err
	}
	return true, translate(err, watched.reported.Load())
}

// handshake is how long a server may take to answer that it speaks SPDY while there is another way. A proxy that does not know it may
// never do.
const handshake = 15 * time.Second

var errSilent = fmt.Errorf("nobody has answered for %v that SPDY is spoken", handshake)

// source is an input whose failure is its end, as it is over WebSocket. A session that is over takes none of it.
type source struct {
	io.Reader
	session context.Context
}

// Read implements io.Reader.
func (s source) Read(p []byte) (int, error) {
	if s.session.Err() != nil {
		return 0, io.EOF
	}
	n, err := s.Reader.Read(p)
	if err != nil {
		err = io.EOF
	}
	return n, err
}

// outlet ends the session when our side cannot take the output: client-go would only log it.
type outlet struct {
	io.Writer
	fail context.CancelCauseFunc
}

// Write implements io.Writer.
func (t outlet) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	if err != nil {
		t.fail(unwritten(err))
	}
	return n, err
}

func (c *Client) spdyTransport() (http.RoundTripper, *watchedUpgrader, error) {
	tls, err := rest.TLSConfigFor(c.config)
	if err != nil {
		return nil, nil, err
	}
	proxy := http.ProxyFromEnvironment
	if c.config.Proxy != nil {
		proxy = c.config.Proxy
	}
	upgrader, err := spdy.NewRoundTripperWithConfig(spdy.RoundTripperConfig{TLS: tls, Proxier: proxy, PingPeriod: pingPeriod})
	if err != nil {
		return nil, nil, err
	}
	transport, err := rest.HTTPWrappersForConfig(c.config, upgrader)
	if err != nil {
		return nil, nil, err
	}
	return transport, &watchedUpgrader{UpgradeRoundTripper: upgrader, clock: c.clock}, nil
}

// watchedUpgrader notes what client-go keeps to itself: whether the session began, and whether a status came.
type watchedUpgrader struct {
	httpstream.UpgradeRoundTripper
	clock               clock.Clock
	connected, reported atomic.Bool
}

// NewConnection implements httpstream.UpgradeRoundTripper.
func (u *watchedUpgrader) NewConnection(response *http.Response) (httpstream.Connection, error) {
	connection, err := u.UpgradeRoundTripper.NewConnection(response)
	if err != nil {
		return nil, err
	}
	u.connected.Store(true)
	return &watchedConnection{Connection: promptConnection{connection, u.clock}, reported: &u.reported}, nil
}

// promptConnection does not wait for the answer of a connection that is closed, as the library does for half a minute.
type promptConnection struct {
	httpstream.Connection
	clock clock.Clock
}

var errClosed = errors.New("the connection was closed")

// CreateStream implements httpstream.Connection.
func (c promptConnection) CreateStream(headers http.Header) (httpstream.Stream, error) {
	type created struct {
		stream httpstream.Stream
		err    error
	}
	result := make(chan created, 1)
	headers = headers.Clone() // the caller goes on with his
	go func() {
		stream, err := c.Connection.CreateStream(headers)
		result <- created{stream, err}
	}()
	select {
	case got := <-result:
		return got.stream, got.err
	case <-c.CloseChan():
	}
	// The answer may have come before the end.
	timer := c.clock.NewTimer(farewell)
	defer timer.Stop()
	select {
	case got := <-result:
		return got.stream, got.err
	case <-timer.C():
		return nil, errClosed
	}
}

type watchedConnection struct {
	httpstream.Connection
	reported *atomic.Bool
}

// CreateStream implements httpstream.Connection.
func (c *watchedConnection) CreateStream(headers http.Header) (httpstream.Stream, error) {
	stream, err := c.Connection.CreateStream(headers)
	if err != nil || headers.Get(corev1.StreamType) != corev1.StreamTypeError {
		return stream, err
	}
	return &watchedStream{Stream: stream, reported: c.reported}, nil
}

type watchedStream struct {
	httpstream.Stream
	reported *atomic.Bool
}

// Read implements io.Reader.
func (s *watchedStream) Read(p []byte) (int, error) {
	n, err := s.Stream.Read(p)
	if n > 0 {
		s.reported.Store(true)
	}
	return n, err
}

// Forward implements Network.
func (c *Client) Forward(ctx context.Context, namespace, pod string) (httpstream.Connection, error) {
	target := c.core.Get().Resource("pods").Namespace(namespace).Name(pod).SubResource("portforward").URL()
	type dialed struct {
		connection httpstream.Connection
		err        error
	}
	// client-go's dialers take no context: a dial that comes too late is closed by the one who finds nobody waiting.
	result := make(chan dialed)
	go func() {
		connection, err := c.dial(target)
		select {
		case result <- dialed{connection, err}:
		case <-ctx.Done():
			if err == nil {
				_ = connection.Close()
			}
		}
	}()
	select {
	case got := <-result:
		return got.connection, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Client) dial(target *url.URL) (httpstream.Connection, error) {
	tunnel, err := portforward.NewSPDYOverWebsocketDialerForStreaming(target, c.config)
	if err != nil {
		return nil, err
	}
	connection, err := negotiate(tunnel)
	if err == nil {
		return promptConnection{connection, c.clock}, nil
	}
	if !fallBack(err) {
		return nil, err
	}
	transport, upgrader, err2 := c.spdyTransport()
	if err2 != nil {
		return nil, err2
	}
	connection, err2 = negotiate(restspdy.NewDialerForStreaming(
		restspdy.NewUpgraderForStreaming(upgrader), &http.Client{Transport: transport}, http.MethodPost, target))
	return connection, second(err, err2)
}

func negotiate(dialer httpstream.Dialer) (httpstream.Connection, error) {
	connection, protocol, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, err
	}
	if protocol != portforward.PortForwardProtocolV1Name {
		return nil, errors.Join(
			fmt.Errorf("the server speaks %q, we %q", protocol, portforward.PortForwardProtocolV1Name), connection.Close())
	}
	return connection, nil
}
