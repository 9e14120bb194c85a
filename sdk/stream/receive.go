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

// monitor asks for a sign of life, so that a dead connection is noticed although nothing is being said.
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
		// The other end takes one message after the other. It cannot get to a ping while the command takes no input, and is then no
		// other than one who is gone: docs/adr/0008.
		if quiet >= s.timeouts.Idle && s.sent.Load()-s.acknowledged.Load() <= pipeCapacity {
			s.end(idleError(s.timeouts.Idle))
			return
		}
		if quiet < s.timeouts.pingAfter() {
			// What comes needs no question. While nobody takes it, one could meet an end that has said all and gone, and what it said
			// last would be lost with the connection.
			continue
		}
		select {
		case s.pingDue <- struct{}{}:
		default: // the last one is not sent yet
		}
	}
}

// sendPings says in each ping how much input is before it. It has no time limit: the library takes one that is over for the connection's end.
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
			return // the one who reads sees the same connection end
		}
	}
}

// pongReceived notes how much of the input the other end has read.
func (s *session) pongReceived(data string) error {
	s.idle.Reset()
	if len(data) == 8 {
		s.acknowledged.Store(int64(binary.BigEndian.Uint64([]byte(data)))) //nolint:gosec // it is ours
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

// messageReader is a message. While somebody who is slow takes what came before, no time runs.
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

// receive writes out what comes until the connection ends, and says how the command ended.
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
			continue // an empty message says nothing
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

// result tells how the command ended, once the connection did.
func (s *session) result(report []byte, cause error) error {
	switch {
	case len(report) > 0:
		return decode(report)
	case websocket.IsCloseError(cause, websocket.CloseNormalClosure):
		return &LostError{} // orderly, and yet without a word about the command
	}
	return s.withCause(&LostError{Cause: cause})
}

// withCause says why a connection was lost that we ended ourselves.
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

// recordingWriter remembers that writing failed, which io.Copy does not tell from reading.
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
