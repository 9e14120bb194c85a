// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/remotecommand"
	restspdy "k8s.io/client-go/transport/spdy"
	"k8s.io/klog/v2"
)

// overSPDY serves bulk data, and API servers and proxies without WebSocket. begun reports whether the session started:
// before that, none of the input was read. A server that has not answered when late fires counts as one that refuses.
func (c *Client) overSPDY(
	ctx context.Context, target *url.URL, process Process, late <-chan time.Time,
) (begun bool, err error) {
	// client-go logs errors that it does not return.
	session, fail := context.WithCancelCause(klog.NewContext(ctx, logr.Discard()))
	defer fail(nil)
	transport, upgrade, err := c.spdyTransport(session)
	if err != nil {
		return false, err
	}
	executor, err := remotecommand.NewSPDYExecutorForTransports(
		transport, restspdy.NewUpgraderForStreaming(upgrade), http.MethodPost, target)
	if err != nil {
		return false, err
	}
	defer context.AfterFunc(session, func() { upgrade.end() })()
	ended := make(chan error, 1)
	go func() { ended <- executor.StreamWithContext(session, process.options(session, fail)) }()
	for waiting := true; waiting; {
		select {
		case err = <-ended:
			waiting = false
		case <-ctx.Done():
			return upgrade.begun(), ctx.Err()
		case <-late:
			if late = nil; upgrade.abandon() {
				return false, errNoSPDYResponse
			}
		}
	}
	begun = upgrade.begun()
	switch lost := upgrade.idleError(); {
	case ctx.Err() != nil:
		return begun, ctx.Err()
	case context.Cause(session) != nil:
		return begun, context.Cause(session)
	case upgrade.timedOut.Load():
		return begun, noResponseError(c.timeouts.Response)
	case !begun:
		return false, err
	case lost != nil && !upgrade.reported.Load():
		return true, &LostError{Cause: lost}
	}
	return true, translate(err, upgrade.reported.Load())
}

func (p Process) options(session context.Context, fail context.CancelCauseFunc) remotecommand.StreamOptions {
	options := remotecommand.StreamOptions{Tty: p.TTY, TerminalSizeQueue: p.Sizes}
	if p.Stdin != nil {
		options.Stdin = stdinReader{p.Stdin, session}
	}
	if p.Stdout != nil {
		options.Stdout = outputWriter{p.Stdout, fail}
	}
	if p.Stderr != nil {
		options.Stderr = outputWriter{p.Stderr, fail}
	}
	return options
}

// spdyResponseTimeout is how long a server may take to accept SPDY while WebSocket remains. A proxy that does not know
// SPDY may never answer.
const spdyResponseTimeout = 15 * time.Second

var errNoSPDYResponse = fmt.Errorf("nobody has answered for %v that SPDY is spoken", spdyResponseTimeout)

// stdinReader is an input whose failure ends it, as over WebSocket. It reads nothing after the end of the session.
type stdinReader struct {
	io.Reader
	session context.Context
}

// Read implements io.Reader.
func (s stdinReader) Read(p []byte) (int, error) {
	if s.session.Err() != nil {
		return 0, io.EOF
	}
	n, err := s.Reader.Read(p)
	if err != nil {
		err = io.EOF
	}
	return n, err
}

// outputWriter ends the session if the caller's writer fails: client-go would only log that.
type outputWriter struct {
	io.Writer
	fail context.CancelCauseFunc
}

// Write implements io.Writer.
func (t outputWriter) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	if err != nil {
		t.fail(outputError(err))
	}
	return n, err
}
