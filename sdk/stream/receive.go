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

// beat asks for a sign of life, so that a dead connection is noticed although nothing is being said.
func (s *session) beat() {
	ticker := s.clock.NewTicker(s.patience.Ping)
	defer ticker.Stop()
	for {
		select {
		case <-s.over:
			return
		case <-ticker.C():
		}
		quiet := s.silence.Look(s.clock.Now(), s.patience.Ping)
		// The other end takes one message after the other. It cannot get to a ping while the command takes no input, and is then no
		// other than one who is gone: docs/adr/0008.
		if quiet >= s.patience.Silence && s.sent.Load()-s.answered.Load() <= unread {
			s.end(silent(s.patience.Silence))
			return
		}
		if quiet < s.patience.ask() {
			// What comes needs no question. While nobody takes it, one could meet an end that has said all and gone, and what it said
			// last would be lost with the connection.
			continue
		}
		select {
		case s.wanted <- struct{}{}:
		default: // the last one is not sent yet
		}
	}
}

// ping says in each ping how much input is before it. It has no time limit: the library takes one that is over for the connection's end.
func (s *session) ping() {
	for {
		select {
		case <-s.over:
			return
		case <-s.wanted:
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

// pong notes how much of the input the other end has read.
func (s *session) pong(data string) error {
	s.silence.Heard()
	if len(data) == 8 {
		s.answered.Store(int64(binary.BigEndian.Uint64([]byte(data)))) //nolint:gosec // it is ours
	}
	return nil
}

// next waits for a message.
func (s *session) next() (kind int, message io.Reader, err error) {
	s.silence.Reading(true)
	defer s.silence.Reading(false)
	if s.reported.Load() {
		_ = s.conn.SetReadDeadline(s.clock.Now().Add(goodbye))
	}
	kind, message, err = s.conn.NextReader()
	s.silence.Heard()
	return kind, heard{message, s}, err
}

// heard is a message. While somebody who is slow takes what came before, no time runs.
type heard struct {
	io.Reader
	session *session
}

// Read implements io.Reader.
func (h heard) Read(p []byte) (int, error) {
	s := h.session
	s.silence.Reading(true)
	defer s.silence.Reading(false)
	if s.reported.Load() {
		_ = s.conn.SetReadDeadline(s.clock.Now().Add(goodbye))
	}
	n, err := h.Reader.Read(p)
	s.silence.Heard()
	return n, err
}

// receive writes out what comes until the connection ends, and says how the command ended.
func (s *session) receive(stdout, stderr io.Writer) error {
	var report []byte
	buffer := make([]byte, chunk)
	s.conn.SetPongHandler(s.pong)
	for {
		kind, message, err := s.next()
		if err != nil {
			return s.ended(report, err)
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
			more, err = io.ReadAll(io.LimitReader(message, int64(MostReport-len(report))))
			report = append(report, more...)
			s.reported.Store(true)
		}
		if err != nil {
			return s.lost(err)
		}
	}
}

// ended tells how the command ended, once the connection did.
func (s *session) ended(report []byte, cause error) error {
	switch {
	case len(report) > 0:
		return decode(report)
	case websocket.IsCloseError(cause, websocket.CloseNormalClosure):
		return &LostError{} // orderly, and yet without a word about the command
	}
	return s.lost(&LostError{Cause: cause})
}

// lost says why a connection was lost that we ended ourselves.
func (s *session) lost(err error) error {
	if _, ok := errors.AsType[*LostError](err); !ok {
		return err
	}
	select {
	case <-s.over:
		if s.cause != nil {
			return &LostError{Cause: s.cause}
		}
	default:
	}
	return err
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
