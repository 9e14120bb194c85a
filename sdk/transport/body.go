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

// maxBuffered is how much of an answer is kept until it is whole. What is longer is passed on as it comes.
const maxBuffered = 64 << 20

// checksPerTimeout is how many times during the limit we look for a sign of life.
const checksPerTimeout = 9

// monitoredBody is an answer that ends when it is silent for too long.
type monitoredBody struct {
	io.ReadCloser
	idle     liveness.IdleTimer
	cancel   context.CancelCauseFunc
	timedOut atomic.Bool
	done     chan struct{}
	closed   atomic.Bool
}

// monitorBody watches over an answer. HTTP/2 has pings for that, if the transport sends them.
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

// Read implements io.Reader. Silence ends it as a broken connection does, which all who read watches and logs know.
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

// readWhole reads an answer to its end, so that one that breaks off can be asked for again.
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

// partlyBufferedBody is an answer that is longer than what is kept.
type partlyBufferedBody struct {
	io.Reader
	io.Closer
}
