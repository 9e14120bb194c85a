// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tunnel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Carry connects local with a port of the sandbox, in both directions. It closes local at the end.
func Carry(ctx context.Context, dial Dial, local io.ReadWriteCloser, remote uint16) error {
	defer local.Close()
	s, err := open(ctx, dial, remote)
	if err != nil {
		return err
	}
	defer s.connection.Close()
	defer context.AfterFunc(ctx, func() {
		_ = s.connection.Close() // both may be closed already
		_ = local.Close()
	})()
	return s.carry(local)
}

// session is a connection to a port of the sandbox.
type session struct {
	connection httpstream.Connection
	data       httpstream.Stream
	failed     chan error // what the remote end reports, or nil
}

// open connects to a port. The context limits only the opening.
func open(ctx context.Context, dial Dial, remote uint16) (*session, error) {
	connection, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	opening := context.AfterFunc(ctx, func() { _ = connection.Close() }) // otherwise the streams could wait
	s, err := openStreams(connection, remote)
	if !opening() && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = connection.Close() // it may be closed already
		return nil, err
	}
	return s, nil
}

func openStreams(connection httpstream.Connection, remote uint16) (*session, error) {
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(int(remote)))
	headers.Set(corev1.PortForwardRequestIDHeader, "0") // the only request on this connection
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	failures, err := connection.CreateStream(headers)
	if err != nil {
		return nil, fmt.Errorf("open the error stream: %w", err)
	}
	_ = failures.Close() // this side reports nothing
	s := &session{connection: connection, failed: make(chan error, 1)}
	go func() { s.failed <- readFailure(failures) }()
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	if s.data, err = connection.CreateStream(headers); err != nil {
		// A remote end that refuses at once may reset the stream before it is open: the error stream has the reason.
		return nil, cmp.Or(s.failure(), fmt.Errorf("open the data stream: %w", err))
	}
	return s, nil
}

// idleConnection is a connection that knows that it ended because it was idle.
type idleConnection interface{ Lost() error }

// failure returns what the remote end reports on the error stream, which it closes after the data stream.
func (s *session) failure() error {
	var err error
	select {
	case err = <-s.failed:
	case <-s.connection.CloseChan():
	}
	if known, ok := s.connection.(idleConnection); ok && err == nil && known.Lost() != nil {
		return fmt.Errorf("%w: %w", ErrLost, known.Lost())
	}
	return err
}

// carry copies in both directions until the remote end has sent everything, or one of the connections breaks. A local
// end that has sent everything still gets the answer.
func (s *session) carry(local io.ReadWriter) error {
	answered, broken := make(chan struct{}), make(chan struct{})
	go func() {
		_, _ = io.Copy(local, s.data) // the remote end reports on the error stream
		close(answered)
	}()
	go func() {
		if _, err := io.Copy(s.data, local); err != nil {
			close(broken)
		}
		_ = s.data.Close()
	}()
	select {
	case <-answered:
	case <-broken:
	case <-s.connection.CloseChan():
	}
	_ = s.data.Reset() // unsent data would keep the error stream waiting
	return s.failure()
}

func readFailure(said io.Reader) error {
	message, err := io.ReadAll(io.LimitReader(said, stream.MaxReportBytes))
	if err != nil || len(message) == 0 {
		return nil //nolint:nilerr // the connection ended: nothing was reported
	}
	text := strings.TrimSpace(string(message))
	if strings.Contains(text, "connection refused") {
		text = "connection refused: nothing listens on that port in the sandbox"
	}
	return &PortError{Message: text}
}

// ErrLost is in the chain of the error of a connection that went silent.
var ErrLost = errors.New("the connection to the sandbox was lost")

// PortError is what the node says of a port that it could not connect to.
type PortError struct{ Message string }

// Error implements error.
func (e *PortError) Error() string { return e.Message }
