// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// exchange is one request and its answer.
type exchange struct {
	sandbox *Sandbox
	id      string
	ctx     context.Context // ends with the exchange
	cancel  context.CancelCauseFunc
	limit   time.Duration // until the answer begins; 0: none but that of the context
	done    func(error)
	once    sync.Once

	mu    sync.Mutex
	timer *time.Timer // nil when the answer has begun, and without a limit
}

// patientKey marks the context of a request whose answer may begin as late as it likes.
type patientKey struct{}

// newExchange returns an exchange that calls done at its end.
func newExchange(ctx context.Context, s *Sandbox, id string, done func(error)) *exchange {
	e := &exchange{sandbox: s, id: id, done: done}
	e.ctx, e.cancel = context.WithCancelCause(ctx)
	note(ctx, AttrRequestID.String(e.id))
	_, hasDeadline := ctx.Deadline()
	if ctx.Value(patientKey{}) == nil && !hasDeadline {
		e.limit = s.client.requestTimeout
		e.timer = time.AfterFunc(e.limit, func() { e.cancel(errNoAnswer) })
	}
	return e
}

// timeLeft returns how long the answer may take to begin.
func (e *exchange) timeLeft() time.Duration {
	if e.limit > 0 {
		return e.limit
	}
	if end, ok := e.ctx.Deadline(); ok {
		return end.Sub(e.sandbox.client.clock.Now())
	}
	return maxTimeout
}

// moved notes that the body of the request moves.
func (e *exchange) moved() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timer != nil {
		e.timer.Reset(e.limit)
	}
}

func (e *exchange) stopTimer() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
}

// end ends the exchange.
func (e *exchange) end(err error) {
	e.once.Do(func() {
		e.stopTimer()
		e.cancel(nil)
		e.done(err)
	})
}

// watch makes the progress of a request's body prolong the wait for the answer.
func (e *exchange) watch(request *http.Request) {
	if request.Body != nil && request.Body != http.NoBody {
		request.Body = sentBody{request.Body, e}
	}
}

// sentBody is the body of a request.
type sentBody struct {
	io.ReadCloser
	exchange *exchange
}

// Read implements io.Reader.
func (b sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.exchange.moved()
	}
	return n, err
}

// begun notes that the answer has begun. The exchange ends with its body, or when that is closed.
func (e *exchange) begun(response *http.Response) {
	e.stopTimer()
	note(e.ctx, AttrStatus.Int(response.StatusCode))
	body := receivedBody{response.Body, e}
	if both, ok := response.Body.(io.ReadWriteCloser); ok && response.StatusCode == http.StatusSwitchingProtocols {
		context.AfterFunc(e.ctx, func() { _ = both.Close() }) // net/http does not do it any more
		response.Body = upgradedBody{body, both}
		return
	}
	response.Body = &body
}

// receivedBody is the body of an answer.
type receivedBody struct {
	io.ReadCloser
	exchange *exchange
}

// Read implements io.Reader.
func (b receivedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.exchange.end(nil)
	case err != nil:
		err = b.exchange.explain(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b receivedBody) Close() error {
	err := b.ReadCloser.Close()
	b.exchange.end(nil)
	return err
}

// upgradedBody is a connection that an answer has made of a request, such as a WebSocket.
type upgradedBody struct {
	receivedBody
	io.Writer
}
