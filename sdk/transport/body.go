// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
)

// maxBuffered is how much of a response is buffered until it is complete. The rest of a longer one is passed on as it
// arrives.
const maxBuffered = 64 << 20

// checksPerTimeout is how often the idle time is checked within the timeout.
const checksPerTimeout = 9

// monitoredBody is a response body that ends if it is idle for too long.
type monitoredBody struct {
	io.ReadCloser
	idle     liveness.IdleTimer
	cancel   context.CancelCauseFunc
	timedOut atomic.Bool
	done     chan struct{}
	closed   atomic.Bool
}

// monitorBody monitors a response. With HTTP/2 the transport's pings do that, if it sends them.
func (l *retryingTransport) monitorBody(response *http.Response, cancel context.CancelCauseFunc) *monitoredBody {
	b := &monitoredBody{ReadCloser: response.Body, cancel: cancel, done: make(chan struct{})}
	if response.ProtoMajor < 2 || !l.pings {
		go b.watch(l)
	}
	return b
}

func (b *monitoredBody) watch(l *retryingTransport) {
	period := l.limits.Idle / checksPerTimeout
	ticker := l.clock.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-b.done:
			return
		case <-ticker.C():
		}
		if b.idle.Check(l.clock.Now(), period) >= l.limits.Idle {
			b.timedOut.Store(true)
			b.cancel(errIdle)
			return
		}
	}
}

// Read implements io.Reader. An idle body ends like a broken connection, which readers of watches and logs handle.
func (b *monitoredBody) Read(p []byte) (int, error) {
	b.idle.SetReading(true)
	n, err := b.ReadCloser.Read(p)
	b.idle.SetReading(false)
	if n > 0 {
		b.idle.Reset()
	}
	if err != nil && b.timedOut.Load() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close implements io.Closer.
func (b *monitoredBody) Close() error {
	if b.closed.CompareAndSwap(false, true) {
		close(b.done)
	}
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// readWhole reads a response to its end, so that the request can be repeated if it is truncated.
func (l *retryingTransport) readWhole(response *http.Response, cancel context.CancelCauseFunc) error {
	body := l.monitorBody(response, cancel)
	var kept bytes.Buffer
	if response.ContentLength > 0 && response.ContentLength <= maxBuffered {
		kept.Grow(int(response.ContentLength))
	}
	_, err := io.CopyN(&kept, body, maxBuffered)
	switch {
	case err == nil:
		response.Body = &partlyBufferedBody{Reader: io.MultiReader(&kept, body), Closer: body}
		return nil
	case !errors.Is(err, io.EOF):
		_ = body.Close() // it is broken
		if body.timedOut.Load() {
			err = errIdle
		}
		return err
	}
	response.Body = io.NopCloser(&kept)
	return body.Close()
}

// partlyBufferedBody is the body of a response that is longer than maxBuffered.
type partlyBufferedBody struct {
	io.Reader
	io.Closer
}
