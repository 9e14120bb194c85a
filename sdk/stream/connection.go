// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"errors"
	"net/http"

	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// connection speaks SPDY over a keepaliveConn. Unlike the library it does not wait half a minute for the answer of a
// closed connection, and its streams send no more than the peer takes.
type connection struct {
	httpstream.Connection
	conn *keepaliveConn
}

var errClosed = errors.New("the connection was closed")

func newConnection(p *keepaliveConn) (httpstream.Connection, error) {
	inner, err := spdy.NewClientConnection(p)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return connection{inner, p}, nil
}

// Lost returns why the connection ended if it was idle for too long, and nil otherwise.
func (c connection) Lost() error { return c.conn.Lost() }

// Close implements httpstream.Connection. It waits for cancelGracePeriod at most.
func (c connection) Close() error {
	closed := make(chan error, 1)
	go func() { closed <- c.Connection.Close() }()
	timer := c.conn.clock.NewTimer(cancelGracePeriod)
	defer timer.Stop()
	select {
	case err := <-closed:
		return err
	case <-timer.C(): // a write is blocked
	}
	return c.conn.Close()
}

// CreateStream implements httpstream.Connection.
func (c connection) CreateStream(headers http.Header) (httpstream.Stream, error) {
	type created struct {
		stream httpstream.Stream
		err    error
	}
	result := make(chan created, 1)
	headers = headers.Clone() // the caller continues to use its own
	go func() {
		stream, err := c.Connection.CreateStream(headers)
		if err == nil {
			stream = flowControlledStream{stream, c.conn}
		}
		result <- created{stream, err}
	}()
	select {
	case got := <-result:
		return got.stream, got.err
	case <-c.CloseChan():
	}
	// The answer may have arrived before the end.
	timer := c.conn.clock.NewTimer(cancelGracePeriod)
	defer timer.Stop()
	select {
	case got := <-result:
		return got.stream, got.err
	case <-timer.C():
		return nil, errClosed
	}
}
