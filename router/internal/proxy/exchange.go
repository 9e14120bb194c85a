// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/reply"
)

const (
	retryStarting = time.Second
	retryConfirm  = 2 * time.Second
)

// errTimeout is the cause of the end of an exchange without a response.
var errTimeout = errors.New("timeout")

// ErrStopping is the cause of the end of a request's context when the router stops.
var ErrStopping = errors.New("the router stops")

// StatusClientGone is in the log and the metrics when nobody waits for the response any more, as nginx has it.
const StatusClientGone = 499

// linger is how long the rest of a request may arrive after the response, before the connection is closed.
const linger = time.Second

// exchange is one request and its response.
type exchange struct {
	target Target
	ctx    context.Context // of this exchange alone
	cancel context.CancelCauseFunc
	timer  clock.Timer
	begun  atomic.Bool // the response has begun: from now on, both sides may be silent
	asking atomic.Bool // a read of the client's body waits
	broken atomic.Bool // the client's body ended with an error
	stalls atomic.Bool // the time ran out while a read of the client's body waited
	unread atomic.Bool // the client's body has not been read to its end
	http1  bool        // what the client speaks

	mu    sync.Mutex
	ended bool
	stop  func() bool
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	return ctx.Value(exchangeKey{}).(*exchange) //nolint:errcheck // Serve sets it
}

func newExchange(w http.ResponseWriter, r *http.Request, clk clock.WithDelayedExecution, target Target) *exchange {
	e := &exchange{target: target, http1: r.ProtoMajor == 1}
	e.ctx, e.cancel = context.WithCancelCause(r.Context())
	e.timer = clk.AfterFunc(target.Timeout, func() {
		if !e.begun.Load() {
			e.stalls.Store(e.asking.Load())
			e.cancel(errTimeout)
		}
	})
	e.stop = context.AfterFunc(e.ctx, func() { e.wake(w) })
	return e
}

// wake ends a read of the client's body that waits, when the exchange is over. The transport waits for it, and a client
// that neither sends the rest nor goes away would hold the connection for ever.
func (e *exchange) wake(w http.ResponseWriter) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ended {
		_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // it may be taken over by now
	}
}

// end stops the exchange. After an early response, the client has a moment to send the rest of its request.
func (e *exchange) end(w http.ResponseWriter, clk clock.PassiveClock) {
	e.timer.Stop()
	e.stop()
	e.cancel(nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	if e.unread.Load() {
		_ = http.NewResponseController(w).SetReadDeadline(clk.Now().Add(linger))
	}
}

// begun is told about the header of the response.
func begun(response *http.Response) error {
	e := exchangeOf(response.Request.Context())
	e.begun.Store(true)
	if response.StatusCode != http.StatusSwitchingProtocols {
		e.closeAfter(response.Header)
	}
	if e.http1 && len(response.Trailer) > 0 {
		response.Header.Del("Content-Length") // HTTP/1 has trailers only after a body of unknown length; HTTP/2 has both
	}
	return nil
}

// closeAfter ends an HTTP/1 connection after the response if the request has not been read to its end. With both sides
// speaking at the same time, net/http would take the rest for the next request.
func (e *exchange) closeAfter(headers http.Header) {
	if e.http1 && e.unread.Load() {
		headers.Set("Connection", "close")
	}
}

// watch returns a body whose progress prolongs the wait for the response: an upload may take as long as it moves.
func (e *exchange) watch(body io.ReadCloser) io.ReadCloser {
	e.unread.Store(true)
	return &watched{body, e}
}

type watched struct {
	io.ReadCloser

	exchange *exchange
}

// Read implements io.Reader.
func (b *watched) Read(p []byte) (int, error) {
	e := b.exchange
	e.asking.Store(true)
	n, err := b.ReadCloser.Read(p)
	e.asking.Store(false)
	switch {
	case errors.Is(err, io.EOF):
		e.unread.Store(false)
	case err != nil:
		e.broken.Store(true)
	}
	if n > 0 && !e.begun.Load() {
		e.timer.Reset(e.target.Timeout)
	}
	return n, err
}

// failed answers a request that got no response.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	e := exchangeOf(r.Context())
	is := e.explain(err)
	p.config.Log.V(1).Info("no response", "namespace", e.target.Sandbox.Namespace, "sandbox", e.target.Sandbox.Name,
		"status", is.Status, "cause", err.Error())
	e.closeAfter(w.Header())
	is.Write(w)
}

// explain returns the answer for what went wrong.
func (e *exchange) explain(err error) *reply.Error {
	_, dialing := errors.AsType[*dialError](err)
	cause := context.Cause(e.ctx)
	switch {
	case errors.Is(cause, ErrStopping):
		return reply.Errorf(http.StatusServiceUnavailable, "The router is shutting down.").After(retryStarting)
	case errors.Is(cause, errTimeout) && e.stalls.Load():
		return reply.Errorf(http.StatusBadRequest, "The rest of the request did not arrive within %s.", e.timeout())
	case errors.Is(cause, errTimeout):
		return reply.Errorf(http.StatusGatewayTimeout, "The sandbox did not answer within %s.", e.timeout())
	case e.broken.Load():
		return reply.Errorf(http.StatusBadRequest, "The request ended before its body did.")
	case cause != nil:
		return reply.Errorf(StatusClientGone, "The client went away.")
	case errors.Is(err, book.ErrNotRunning):
		return reply.Errorf(http.StatusServiceUnavailable, "The sandbox has no running Pod.").After(retryStarting)
	case errors.Is(err, book.ErrUnconfirmed):
		return reply.Errorf(http.StatusServiceUnavailable, "The address of the sandbox could not be confirmed.").
			After(retryConfirm)
	case dialing:
		return reply.Errorf(http.StatusBadGateway, "Could not connect to the backend sandbox, port %d.", e.target.Port)
	}
	return reply.Errorf(http.StatusBadGateway, "The backend sandbox closed the connection without a valid response.")
}

// timeout returns the timeout for people.
func (e *exchange) timeout() time.Duration { return e.target.Timeout.Round(time.Millisecond) }

// unrepeatable is an empty body.
type unrepeatable struct{}

func (unrepeatable) Read([]byte) (int, error) { return 0, io.EOF }

// Close implements io.Closer.
func (unrepeatable) Close() error { return nil }
