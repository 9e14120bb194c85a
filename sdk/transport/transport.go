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

// Limits are the time limits of a request.
type Limits struct {
	// Response is how long the first byte of a response may take, all attempts together. Zero leaves that to the
	// caller.
	Response time.Duration
	// Idle is how long a started response may receive nothing, unless HTTP/2 pings detect that.
	Idle time.Duration
	// RetryFor is how long after its first failure a read is repeated.
	RetryFor time.Duration
	// Pause is the pause between the first two attempts; it doubles.
	Pause time.Duration
}

// DefaultLimits detect a silent server within a minute. API servers answer a request within a minute.
func DefaultLimits() Limits {
	return Limits{Response: time.Minute, Idle: 45 * time.Second, RetryFor: 10 * time.Second, Pause: 100 * time.Millisecond}
}

// maxPause is the longest pause between two attempts.
const maxPause = 1600 * time.Millisecond

// Wrap returns a configuration whose clients use the default limits. If it has a timeout for requests, that applies
// instead of Response.
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

// New wraps a transport. pings reports that the wrapped transport detects silent HTTP/2 connections.
func New(next http.RoundTripper, clock clock.WithTicker, limits Limits, pings bool) http.RoundTripper {
	return &retryingTransport{next: next, clock: clock, limits: limits, pings: pings}
}

type retryingTransport struct {
	next    http.RoundTripper
	clock   clock.WithTicker
	limits  Limits
	pings   bool
	reached atomic.Bool // the server has answered once
}

// WrappedRoundTripper lets callers find the wrapped transport.
func (l *retryingTransport) WrappedRoundTripper() http.RoundTripper { return l.next }

// CloseIdleConnections serves http.Client.
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
		past := l.clock.Since(failed)+pause > l.limits.RetryFor || l.limits.Response > 0 &&
			l.clock.Since(begun)+pause >= l.limits.Response
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
			l.CloseIdleConnections() // otherwise the same HTTP/2 connection would be used again
		}
	}
}

// isSession reports whether a request starts a session, such as exec. It may be a GET.
func isSession(request *http.Request) bool {
	for _, header := range []string{
		httpstream.HeaderUpgrade, httpstream.HeaderProtocolVersion, wsstream.WebSocketProtocolHeader,
	} {
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

// isRead reports whether a request changes nothing. Requests through the API server's proxy may change something.
func isRead(request *http.Request) bool {
	return (request.Method == http.MethodGet || request.Method == http.MethodHead) &&
		(request.Body == nil || request.Body == http.NoBody) &&
		!strings.Contains(request.URL.Path+"/", "/proxy/")
}

// isStream reports whether a response continues as long as something happens, or is shown while it arrives.
func isStream(request *http.Request) bool {
	watch := request.URL.Query().Get("watch")
	return watch == "true" || watch == "1" || strings.HasSuffix(request.URL.Path, "/log")
}

// sendOnce sends a request that may change something.
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

// try sends a read. again reports that it may be repeated.
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

// awaitResponse waits for the first byte of a response. reached reports whether there was a connection.
func (l *retryingTransport) awaitResponse(
	request *http.Request, cancel context.CancelCauseFunc, limit time.Duration,
) (_ *http.Response, reached bool, _ error) {
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(
		request.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }},
	)
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
