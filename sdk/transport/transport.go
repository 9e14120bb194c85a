// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/wsstream"
	"k8s.io/utils/clock"
)

// Limits are for how long is waited.
type Limits struct {
	// Answer is how long the first byte of an answer may take, all tries together. Zero leaves that to the caller.
	Response time.Duration
	// Silence is how long an answer that has begun may bring nothing, where no pings of HTTP/2 find out.
	Idle time.Duration
	// Again is how long after the first failure a read is begun once more.
	RetryFor time.Duration
	// Pause is between the first two tries; it doubles.
	Pause time.Duration
}

// DefaultLimits finds out within a minute that nobody is there. API servers answer a request within a minute.
func DefaultLimits() Limits {
	return Limits{Response: time.Minute, Idle: 45 * time.Second, RetryFor: 10 * time.Second, Pause: 100 * time.Millisecond}
}

// maxPause is the longest pause between two tries.
const maxPause = 1600 * time.Millisecond

// Wrap returns a configuration whose clients keep within the default limits. A time limit for requests that it has stands.
func Wrap(config *rest.Config, clock clock.WithTicker) *rest.Config {
	limits := DefaultLimits()
	if config.Timeout > 0 {
		limits.Response = 0
	}
	pings := config.Transport == nil // client-go's own transport sends them
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return New(next, clock, limits, pings) })
	return config
}

// New returns a transport over another one. Pings says that the other one finds out about silent connections of HTTP/2.
func New(next http.RoundTripper, clock clock.WithTicker, limits Limits, pings bool) http.RoundTripper {
	return &retryingTransport{next: next, clock: clock, limits: limits, pings: pings}
}

type retryingTransport struct {
	next    http.RoundTripper
	clock   clock.WithTicker
	limits  Limits
	pings   bool
	reached atomic.Bool // the server has been there once
}

// WrappedRoundTripper is for those who look for the transport below.
func (l *retryingTransport) WrappedRoundTripper() http.RoundTripper { return l.next }

// CloseIdleConnections is for http.Client.
func (l *retryingTransport) CloseIdleConnections() { net.CloseIdleConnectionsFor(l.next) }

// RoundTrip implements http.RoundTripper.
func (l *retryingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	switch {
	case isSession(request):
		return l.next.RoundTrip(request)
	case !isRead(request):
		return l.sendOnce(request)
	}
	begun := l.clock.Now()
	var failed time.Time
	for pause, tries := l.limits.Pause, 1; ; pause, tries = min(2*pause, maxPause), tries+1 {
		response, again, err := l.try(request, l.limits.Response-l.clock.Since(begun))
		if err == nil || request.Context().Err() != nil || !again && tries == 1 {
			return response, err
		}
		if failed.IsZero() {
			failed = l.clock.Now()
		}
		past := l.clock.Since(failed)+pause > l.limits.RetryFor || l.limits.Response > 0 && l.clock.Since(begun)+pause >= l.limits.Response
		if !again || past {
			return nil, &BrokenError{Attempts: tries, Elapsed: l.clock.Since(begun), cause: err}
		}
		timer := l.clock.NewTimer(pause)
		select {
		case <-timer.C():
		case <-request.Context().Done():
			timer.Stop()
			return nil, request.Context().Err()
		}
		if errors.Is(err, errIdle) {
			l.CloseIdleConnections() // one of HTTP/2 would be taken again
		}
	}
}

// isSession says whether a request begins a session, as exec does. It may be a GET.
func isSession(request *http.Request) bool {
	for _, header := range []string{httpstream.HeaderUpgrade, httpstream.HeaderProtocolVersion, wsstream.WebSocketProtocolHeader} {
		if len(request.Header.Values(header)) > 0 || len(request.Header[header]) > 0 {
			return true
		}
	}
	for _, subresource := range []string{"/exec", "/attach", "/portforward"} {
		if strings.HasSuffix(request.URL.Path, subresource) && strings.Contains(request.URL.Path, "/pods/") {
			return true
		}
	}
	return false
}

// isRead says whether a request changes nothing. What is behind a proxy of the API server is not known.
func isRead(request *http.Request) bool {
	return (request.Method == http.MethodGet || request.Method == http.MethodHead) && (request.Body == nil || request.Body == http.NoBody) &&
		!strings.Contains(request.URL.Path+"/", "/proxy/")
}

// isStream says whether an answer goes on as long as something happens, or is written out while it comes.
func isStream(request *http.Request) bool {
	watch := request.URL.Query().Get("watch")
	return watch == "true" || watch == "1" || strings.HasSuffix(request.URL.Path, "/log")
}

// sendOnce sends what may change something.
func (l *retryingTransport) sendOnce(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	response, reached, err := l.awaitResponse(request.Clone(ctx), cancel, l.limits.Response)
	switch {
	case err == nil:
		response.Body = l.monitorBody(response, cancel)
		return response, nil
	case request.Context().Err() != nil || !reached:
		cancel(nil)
		return nil, err
	}
	cancel(nil)
	return nil, &BrokenError{Attempts: 1, outcomeUnknown: true, cause: err}
}

// try sends a read. Again says that it may be sent once more.
func (l *retryingTransport) try(request *http.Request, limit time.Duration) (_ *http.Response, again bool, _ error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	if l.limits.Response == 0 {
		limit = 0
	}
	known := l.reached.Load()
	response, reached, err := l.awaitResponse(request.Clone(ctx), cancel, limit)
	if err != nil {
		cancel(nil)
		var certificate *tls.CertificateVerificationError
		return nil, (reached || known) && !errors.As(err, &certificate), err
	}
	if isStream(request) {
		response.Body = l.monitorBody(response, cancel)
		return response, false, nil
	}
	if err := l.readWhole(response, cancel); err != nil {
		return nil, true, err
	}
	return response, false, nil
}

// awaitResponse waits for the first byte of an answer, and says whether a connection was there.
func (l *retryingTransport) awaitResponse(request *http.Request, cancel context.CancelCauseFunc, limit time.Duration) (_ *http.Response, reached bool, _ error) {
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	came := make(chan struct{})
	if limit > 0 {
		timer := l.clock.NewTimer(limit)
		go func() {
			defer timer.Stop()
			select {
			case <-timer.C():
				cancel(errIdle)
			case <-came:
			case <-ctx.Done():
			}
		}()
	}
	response, err := l.next.RoundTrip(request.WithContext(ctx))
	close(came)
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errIdle) {
			err = cause
		}
		return nil, connected.Load(), err
	}
	l.reached.Store(true)
	return response, true, nil
}
