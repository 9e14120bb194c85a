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

	"github.com/agent-sandbox/kubectl-sandbox/sdk/liveness"
)

// mostKept is how much of an answer is kept until it is whole. What is longer is passed on as it comes.
const mostKept = 64 << 20

// looks is how many times during the limit we look for a sign of life.
const looks = 9

// listening is an answer that ends when it is silent for too long.
type listening struct {
	io.ReadCloser
	life   liveness.Silence
	cancel context.CancelCauseFunc
	silent atomic.Bool
	over   chan struct{}
	closed atomic.Bool
}

// listen watches over an answer. HTTP/2 has pings for that, if the transport sends them.
func (l *lasting) listen(response *http.Response, cancel context.CancelCauseFunc) *listening {
	b := &listening{ReadCloser: response.Body, cancel: cancel, over: make(chan struct{})}
	if response.ProtoMajor < 2 || !l.pings {
		go b.watch(l)
	}
	return b
}

func (b *listening) watch(l *lasting) {
	period := l.limits.Silence / looks
	ticker := l.clock.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-b.over:
			return
		case <-ticker.C():
		}
		if b.life.Look(l.clock.Now(), period) >= l.limits.Silence {
			b.silent.Store(true)
			b.cancel(errSilent)
			return
		}
	}
}

// Read implements io.Reader. Silence ends it as a broken connection does, which all who read watches and logs know.
func (b *listening) Read(p []byte) (int, error) {
	b.life.Reading(true)
	n, err := b.ReadCloser.Read(p)
	b.life.Reading(false)
	if n > 0 {
		b.life.Heard()
	}
	if err != nil && b.silent.Load() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close implements io.Closer.
func (b *listening) Close() error {
	if b.closed.CompareAndSwap(false, true) {
		close(b.over)
	}
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// whole reads an answer to its end, so that one that breaks off can be asked for again.
func (l *lasting) whole(response *http.Response, cancel context.CancelCauseFunc) error {
	body := l.listen(response, cancel)
	var kept bytes.Buffer
	if response.ContentLength > 0 && response.ContentLength <= mostKept {
		kept.Grow(int(response.ContentLength))
	}
	_, err := io.CopyN(&kept, body, mostKept)
	switch {
	case err == nil:
		response.Body = &long{Reader: io.MultiReader(&kept, body), Closer: body}
		return nil
	case !errors.Is(err, io.EOF):
		_ = body.Close() // it is broken
		if body.silent.Load() {
			err = errSilent
		}
		return err
	}
	response.Body = io.NopCloser(&kept)
	return body.Close()
}

// long is an answer that is longer than what is kept.
type long struct {
	io.Reader
	io.Closer
}
