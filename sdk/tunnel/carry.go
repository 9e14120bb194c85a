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
	connection, err := dial(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() {
		_ = connection.Close() // both may be closed already
		_ = local.Close()
	})()

	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(int(remote)))
	headers.Set(corev1.PortForwardRequestIDHeader, "0") // the only request on this connection
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	failures, err := connection.CreateStream(headers)
	if err != nil {
		return fmt.Errorf("open the error stream: %w", err)
	}
	_ = failures.Close() // this side reports nothing
	failed := make(chan error, 1)
	go func() { failed <- readFailure(failures) }()
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := connection.CreateStream(headers)
	if err != nil {
		// A remote end that refuses at once may reset the stream before it is open: the error stream has the reason.
		return cmp.Or(failureOf(connection, failed), fmt.Errorf("open the data stream: %w", err))
	}
	copyBothWays(connection, local, data)
	return failureOf(connection, failed)
}

// idleConnection is a connection that knows that it ended because it was idle.
type idleConnection interface{ Lost() error }

// failureOf returns what the remote end reports on the error stream, which it closes after the data stream.
func failureOf(connection httpstream.Connection, failed <-chan error) error {
	var err error
	select {
	case err = <-failed:
	case <-connection.CloseChan():
	}
	if known, ok := connection.(idleConnection); ok && err == nil && known.Lost() != nil {
		return fmt.Errorf("the connection to the sandbox was lost: %w", known.Lost())
	}
	return err
}

// copyBothWays copies in both directions until the remote end has sent everything, or the local connection breaks. A
// local end that has sent everything still gets the answer.
func copyBothWays(connection httpstream.Connection, local io.ReadWriter, data httpstream.Stream) {
	answered, broken := make(chan struct{}), make(chan struct{})
	go func() {
		_, _ = io.Copy(local, data) // the remote end reports on the error stream
		close(answered)
	}()
	go func() {
		if _, err := io.Copy(data, local); err != nil {
			close(broken)
		}
		_ = data.Close()
	}()
	select {
	case <-answered:
	case <-broken:
	case <-connection.CloseChan():
	}
	_ = data.Reset() // unsent data would keep the error stream waiting
}

func readFailure(said io.Reader) error {
	message, err := io.ReadAll(io.LimitReader(said, stream.MaxReportBytes))
	if err != nil || len(message) == 0 {
		return nil //nolint:nilerr // the connection ended: nothing was reported
	}
	text := strings.TrimSpace(string(message))
	if strings.Contains(text, "connection refused") {
		return errors.New("connection refused: nothing listens on that port in the sandbox")
	}
	return errors.New(text)
}
