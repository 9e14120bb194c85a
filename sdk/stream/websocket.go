// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	constants "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/tools/remotecommand"
	restwebsocket "k8s.io/client-go/transport/websocket"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
)

const (
	// closeGracePeriod is how long the connection may stay open after the status arrived: output may still be on its
	// way.
	closeGracePeriod = 2 * time.Second
	// cancelGracePeriod is how long a cancelled session may continue to write what it has read.
	cancelGracePeriod = 300 * time.Millisecond
	// stdinMessageSize is the maximal size of a message of standard input.
	stdinMessageSize = 32 * 1024
)

// overWebSocket speaks the fifth version of the channel protocol, the first that can close standard input. It does not
// use client-go's client, which takes a normal close without a status for success, and gives up on a slow reader.
func (c *Client) overWebSocket(ctx context.Context, target *url.URL, process Process) error {
	conn, err := c.dialWebSocket(ctx, target, constants.StreamProtocolV5Name)
	if err != nil {
		return err
	}
	s := &session{
		conn: conn, clock: c.clock, timeouts: c.timeouts, pingDue: make(chan struct{}, 1), done: make(chan struct{}),
	}
	defer s.end(nil)
	defer context.AfterFunc(ctx, func() { s.end(nil) })()

	go s.monitor()
	go s.sendPings()
	if process.Stdin != nil {
		go s.send(process.Stdin)
	}
	if process.TTY && process.Sizes != nil {
		go s.resize(process.Sizes)
	}
	received := make(chan error, 1)
	go func() { received <- s.receive(process.Stdout, process.Stderr) }()
	select {
	case err = <-received:
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	case <-ctx.Done():
	}
	// The connection is closed: only a blocked writer of the caller can delay receive, and must not delay the return.
	timer := c.clock.NewTimer(cancelGracePeriod)
	defer timer.Stop()
	select {
	case <-received: //nolint:errcheck // this side ended it: ctx says why
	case <-timer.C():
	}
	return ctx.Err()
}

// dialWebSocket opens a connection. The library honours the context only until the request is sent.
func (c *Client) dialWebSocket(ctx context.Context, target *url.URL, protocol string) (*websocket.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeouts.Response)
	transport, holder, err := restwebsocket.RoundTripperFor(c.config)
	if err != nil {
		cancel()
		return nil, err
	}
	last, end := context.WithTimeout(ctx, c.timeouts.Response+closeGracePeriod) // the library's limit must be later
	request, err := http.NewRequestWithContext(last, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		end()
		cancel()
		return nil, err
	}
	type dialed struct {
		conn *websocket.Conn
		err  error
	}
	result := make(chan dialed) // unbuffered: a late connection finds no receiver, and is closed
	go func() {
		defer cancel()
		defer end()
		conn, err := restwebsocket.Negotiate(transport, holder, request, protocol)
		select {
		case result <- dialed{conn, err}:
		case <-limited.Done():
			if err == nil {
				_ = conn.Close() // it carried nothing
			}
		}
	}()
	select {
	case got := <-result:
		return got.conn, got.err
	case <-limited.Done():
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, noResponseError(c.timeouts.Response)
}

// session is one WebSocket connection. One goroutine reads; writers hold the lock.
type session struct {
	conn         *websocket.Conn
	clock        clock.WithTicker
	timeouts     Timeouts
	idle         liveness.IdleTimer
	pingDue      chan struct{} // a ping
	writing      sync.Mutex
	sent         atomic.Int64 // bytes of input that are written or about to be
	written      atomic.Int64
	acknowledged atomic.Int64 // bytes that the server had read when it answered a ping
	reported     atomic.Bool  // the remote end has reported a status
	once         sync.Once
	done         chan struct{}
	cause        error // why this side ended it; set before done is closed
}

func (s *session) end(cause error) {
	s.once.Do(func() {
		s.cause = cause
		close(s.done)
		go s.conn.Close() // it may send a close message, and wait for its turn
	})
}

func (s *session) write(channel byte, data []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	w, err := s.conn.NextWriter(websocket.BinaryMessage)
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte{channel}); err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Close()
}

// send delivers standard input. It does not report a failed write: receive returns the error of the same connection.
func (s *session) send(stdin io.Reader) {
	buffer := make([]byte, stdinMessageSize)
	for {
		n, err := stdin.Read(buffer)
		s.sent.Add(int64(n))
		if n > 0 && s.write(constants.StreamStdIn, buffer[:n]) != nil {
			return
		}
		s.written.Add(int64(n))
		if err != nil {
			_ = s.write(constants.StreamClose, []byte{constants.StreamStdIn})
			return
		}
	}
}

func (s *session) resize(sizes remotecommand.TerminalSizeQueue) {
	for {
		size := sizes.Next()
		if size == nil {
			return
		}
		if message, err := json.Marshal(size); err != nil || s.write(constants.StreamResize, message) != nil {
			return
		}
	}
}
