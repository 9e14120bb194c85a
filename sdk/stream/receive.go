// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/gorilla/websocket"
	constants "k8s.io/apimachinery/pkg/util/remotecommand"
)

// monitor sends pings, so that a dead connection is detected while no data arrives.
func (s *session) monitor() {
	ticker := s.clock.NewTicker(s.timeouts.PingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-ticker.C():
		}
		quiet := s.idle.Check(s.clock.Now(), s.timeouts.PingInterval)
		// The API server handles one message at a time. While the command takes no input, it reads no ping, and cannot
		// be distinguished from a dead peer: docs/adr/0008.
		if quiet >= s.timeouts.Idle && s.sent.Load()-s.acknowledged.Load() <= pipeCapacity {
			s.end(idleError(s.timeouts.Idle))
			return
		}
		if quiet < s.timeouts.pingAfter() {
			// No ping is sent while data arrives. While the caller does not read, a ping could meet a peer that has
			// sent everything and closed: its last data would be lost.
			continue
		}
		select {
		case s.pingDue <- struct{}{}:
		default: // the last ping is not sent yet
		}
	}
}

// sendPings sends pings with the amount of input before them. It sets no deadline, because the library ends a
// connection whose write deadline has passed.
func (s *session) sendPings() {
	for {
		select {
		case <-s.done:
			return
		case <-s.pingDue:
		}
		s.writing.Lock()
		before := binary.BigEndian.AppendUint64(nil, uint64(s.written.Load())) //nolint:gosec // it is not negative
		err := s.conn.WriteControl(websocket.PingMessage, before, time.Time{})
		s.writing.Unlock()
		if err != nil {
			return // Read returns the error of the same connection
		}
	}
}

// pongReceived records how much of the input the server has read.
func (s *session) pongReceived(data string) error {
	s.idle.Reset()
	if len(data) == 8 {
		s.acknowledged.Store(int64(binary.BigEndian.Uint64([]byte(data)))) //nolint:gosec // it was sent by this client
	}
	return nil
}

// nextMessage waits for a message.
func (s *session) nextMessage() (kind int, message io.Reader, err error) {
	s.idle.SetReading(true)
	defer s.idle.SetReading(false)
	if s.reported.Load() {
		_ = s.conn.SetReadDeadline(s.clock.Now().Add(closeGracePeriod))
	}
	kind, message, err = s.conn.NextReader()
	s.idle.Reset()
	return kind, messageReader{message, s}, err
}

// messageReader reads a message. Time in which the caller does not read is not idle time.
type messageReader struct {
	io.Reader
	session *session
}

// Read implements io.Reader.
func (h messageReader) Read(p []byte) (int, error) {
	s := h.session
	s.idle.SetReading(true)
	defer s.idle.SetReading(false)
	if s.reported.Load() {
		_ = s.conn.SetReadDeadline(s.clock.Now().Add(closeGracePeriod))
	}
	n, err := h.Reader.Read(p)
	s.idle.Reset()
	return n, err
}

// receive writes the output until the connection ends, and returns the command's result.
func (s *session) receive(stdout, stderr io.Writer) error {
	var report []byte
	buffer := make([]byte, stdinMessageSize)
	s.conn.SetPongHandler(s.pongReceived)
	for {
		kind, message, err := s.nextMessage()
		if err != nil {
			return s.result(report, err)
		}
		if kind != websocket.BinaryMessage {
			continue
		}
		channel := make([]byte, 1)
		if _, err := io.ReadFull(message, channel); err != nil {
			continue // an empty message means nothing
		}
		switch channel[0] {
		case constants.StreamStdOut:
			err = copyMessage(stdout, message, buffer)
		case constants.StreamStdErr:
			err = copyMessage(stderr, message, buffer)
		case constants.StreamErr:
			var more []byte
			more, err = io.ReadAll(io.LimitReader(message, int64(MaxReportBytes-len(report))))
			report = append(report, more...)
			s.reported.Store(true)
		}
		if err != nil {
			return s.withCause(err)
		}
	}
}

// result returns the result of the command after the connection has ended.
func (s *session) result(report []byte, cause error) error {
	switch {
	case len(report) > 0:
		return decode(report)
	case websocket.IsCloseError(cause, websocket.CloseNormalClosure):
		return &LostError{} // closed normally, but without a status
	}
	return s.withCause(&LostError{Cause: cause})
}

// withCause adds the cause to the error of a connection that this side ended.
func (s *session) withCause(err error) error {
	if _, ok := errors.AsType[*LostError](err); !ok {
		return err
	}
	select {
	case <-s.done:
		if s.cause != nil {
			return &LostError{Cause: s.cause}
		}
	default:
	}
	return err
}

// recordingWriter records a failed write, which io.Copy does not distinguish from a failed read.
type recordingWriter struct {
	io.Writer
	err error
}

func (s *recordingWriter) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	s.err = err
	return n, err
}

// copyMessage writes one message to its stream.
func copyMessage(out io.Writer, message io.Reader, buffer []byte) error {
	if out == nil {
		out = io.Discard
	}
	to := &recordingWriter{Writer: out}
	_, err := io.CopyBuffer(to, message, buffer)
	switch {
	case to.err != nil:
		return outputError(to.err)
	case err != nil:
		return &LostError{Cause: err}
	}
	return nil
}
