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
)

const (
	// pingPeriod is how often we ask the other end whether it is there.
	pingPeriod = 5 * time.Second
	// patience is how long it may stay silent before the connection counts as lost.
	patience = 60 * time.Second
	// goodbye is how long we wait for the connection to end after the status came: output may still be on its way.
	goodbye = 2 * time.Second
	// farewell is how long a session that was cancelled may go on writing what it has read already.
	farewell = 300 * time.Millisecond
	// chunk is how much of standard input goes into one message.
	chunk = 32 * 1024
)

// overWebSocket speaks the fifth version of the channel protocol, the first that can close standard input. client-go's own
// client is not used because it takes an orderly end without a status for success, and gives up on a slow reader.
func (c *Client) overWebSocket(ctx context.Context, target *url.URL, process Process) error {
	transport, holder, err := restwebsocket.RoundTripperFor(c.config)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return err
	}
	conn, err := restwebsocket.Negotiate(transport, holder, request, constants.StreamProtocolV5Name)
	if err != nil {
		return err
	}
	s := &session{conn: conn, clock: c.clock, over: make(chan struct{})}
	defer s.end()
	defer context.AfterFunc(ctx, s.end)()

	go s.beat()
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
	// The connection is closed: only one who does not take our output can keep the receiver. He must not keep us too.
	timer := c.clock.NewTimer(farewell)
	defer timer.Stop()
	select {
	case <-received: //nolint:errcheck // we ended it: ctx says why
	case <-timer.C():
	}
	return ctx.Err()
}

// session is one WebSocket connection. One goroutine reads; writers take turns.
type session struct {
	conn    *websocket.Conn
	clock   clock.WithTicker
	writing sync.Mutex
	// blocked is true while a write waits for the other end, which then cannot answer pings either.
	blocked  atomic.Bool
	reported atomic.Bool // the remote end has said how the command ended
	once     sync.Once
	over     chan struct{}
}

func (s *session) end() {
	s.once.Do(func() {
		close(s.over)
		_ = s.conn.Close() // whatever it says, it is closed
	})
}

func (s *session) write(channel byte, data []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.blocked.Store(true)
	defer s.blocked.Store(false)
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

// send delivers standard input. A write that fails is not reported here: the reader sees the same connection end.
func (s *session) send(stdin io.Reader) {
	buffer := make([]byte, chunk)
	for {
		n, err := stdin.Read(buffer)
		if n > 0 && s.write(constants.StreamStdIn, buffer[:n]) != nil {
			return
		}
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

// beat asks for a sign of life, so that a dead connection is noticed although nothing is being said.
func (s *session) beat() {
	ticker := s.clock.NewTicker(pingPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-s.over:
			return
		case <-ticker.C():
			if s.blocked.Load() && !s.reported.Load() {
				_ = s.conn.NetConn().SetReadDeadline(s.clock.Now().Add(patience))
			}
			_ = s.conn.WriteControl(websocket.PingMessage, nil, s.clock.Now().Add(pingPeriod))
		}
	}
}

// receive writes out what comes until the connection ends, and says how the command ended.
func (s *session) receive(stdout, stderr io.Writer) error {
	var report []byte
	buffer := make([]byte, chunk)
	wait := patience
	s.conn.SetPongHandler(func(string) error { return s.conn.SetReadDeadline(s.clock.Now().Add(wait)) })
	for {
		// Set before each message: while a slow reader of our output holds us up, no time runs.
		_ = s.conn.SetReadDeadline(s.clock.Now().Add(wait))
		kind, message, err := s.conn.NextReader()
		if err != nil {
			return ended(report, err)
		}
		if kind != websocket.BinaryMessage {
			continue
		}
		channel := make([]byte, 1)
		if _, err := io.ReadFull(message, channel); err != nil {
			continue // an empty message says nothing
		}
		switch channel[0] {
		case constants.StreamStdOut:
			err = pass(stdout, message, buffer)
		case constants.StreamStdErr:
			err = pass(stderr, message, buffer)
		case constants.StreamErr:
			var more []byte
			more, err = io.ReadAll(message)
			report = append(report, more...)
			s.reported.Store(true)
			wait = goodbye
		}
		if err != nil {
			return err
		}
	}
}

// ended tells how the command ended, once the connection did.
func ended(report []byte, cause error) error {
	switch {
	case len(report) > 0:
		return decode(report)
	case websocket.IsCloseError(cause, websocket.CloseNormalClosure):
		return &LostError{} // orderly, and yet without a word about the command
	}
	return &LostError{Cause: cause}
}

// sink remembers that writing failed, which io.Copy does not tell from reading.
type sink struct {
	io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	s.err = err
	return n, err
}

// pass writes one message to its stream.
func pass(out io.Writer, message io.Reader, buffer []byte) error {
	if out == nil {
		out = io.Discard
	}
	to := &sink{Writer: out}
	_, err := io.CopyBuffer(to, message, buffer)
	switch {
	case to.err != nil:
		return unwritten(to.err)
	case err != nil:
		return &LostError{Cause: err}
	}
	return nil
}
