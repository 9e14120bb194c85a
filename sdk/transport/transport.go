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
	Answer time.Duration
	// Silence is how long an answer that has begun may bring nothing, where no pings of HTTP/2 find out.
	Silence time.Duration
	// Again is how long after the first failure a read is begun once more.
	Again time.Duration
	// Pause is between the first two tries; it doubles.
	Pause time.Duration
}

// Default finds out within a minute that nobody is there. API servers answer a request within a minute.
func Default() Limits {
	return Limits{Answer: time.Minute, Silence: 45 * time.Second, Again: 10 * time.Second, Pause: 100 * time.Millisecond}
}

// longest is the longest pause between two tries.
const longest = 1600 * time.Millisecond

// Wrap returns a configuration whose clients keep within the default limits. A time limit for requests that it has stands.
func Wrap(config *rest.Config, clock clock.WithTicker) *rest.Config {
	limits := Default()
	if config.Timeout > 0 {
		limits.Answer = 0
	}
	pings := config.Transport == nil // client-go's own transport sends them
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return New(next, clock, limits, pings) })
	return config
}

// New returns a transport over another one. Pings says that the other one finds out about silent connections of HTTP/2.
func New(next http.RoundTripper, clock clock.WithTicker, limits Limits, pings bool) http.RoundTripper {
	return &lasting{next: next, clock: clock, limits: limits, pings: pings}
}

type lasting struct {
	next    http.RoundTripper
	clock   clock.WithTicker
	limits  Limits
	pings   bool
	reached atomic.Bool // the server has been there once
}

// WrappedRoundTripper is for those who look for the transport below.
func (l *lasting) WrappedRoundTripper() http.RoundTripper { return l.next }

// CloseIdleConnections is for http.Client.
func (l *lasting) CloseIdleConnections() { net.CloseIdleConnectionsFor(l.next) }

// RoundTrip implements http.RoundTripper.
func (l *lasting) RoundTrip(request *http.Request) (*http.Response, error) {
	switch {
	case isSession(request):
		return l.next.RoundTrip(request)
	case !isRead(request):
		return l.once(request)
	}
	begun := l.clock.Now()
	var failed time.Time
	for pause, tries := l.limits.Pause, 1; ; pause, tries = min(2*pause, longest), tries+1 {
		response, again, err := l.try(request, l.limits.Answer-l.clock.Since(begun))
		if err == nil || request.Context().Err() != nil || !again && tries == 1 {
			return response, err
		}
		if failed.IsZero() {
			failed = l.clock.Now()
		}
		past := l.clock.Since(failed)+pause > l.limits.Again || l.limits.Answer > 0 && l.clock.Since(begun)+pause >= l.limits.Answer
		if !again || past {
			return nil, &BrokenError{Tries: tries, Took: l.clock.Since(begun), cause: err}
		}
		timer := l.clock.NewTimer(pause)
		select {
		case <-timer.C():
		case <-request.Context().Done():
			timer.Stop()
			return nil, request.Context().Err()
		}
		if errors.Is(err, errSilent) {
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

// once sends what may change something.
func (l *lasting) once(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	response, reached, err := l.answer(request.Clone(ctx), cancel, l.limits.Answer)
	switch {
	case err == nil:
		response.Body = l.listen(response, cancel)
		return response, nil
	case request.Context().Err() != nil || !reached:
		cancel(nil)
		return nil, err
	}
	cancel(nil)
	return nil, &BrokenError{Tries: 1, unknown: true, cause: err}
}

// try sends a read. Again says that it may be sent once more.
func (l *lasting) try(request *http.Request, limit time.Duration) (_ *http.Response, again bool, _ error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	if l.limits.Answer == 0 {
		limit = 0
	}
	known := l.reached.Load()
	response, reached, err := l.answer(request.Clone(ctx), cancel, limit)
	if err != nil {
		cancel(nil)
		var certificate *tls.CertificateVerificationError
		return nil, (reached || known) && !errors.As(err, &certificate), err
	}
	if isStream(request) {
		response.Body = l.listen(response, cancel)
		return response, false, nil
	}
	if err := l.whole(response, cancel); err != nil {
		return nil, true, err
	}
	return response, false, nil
}

// answer waits for the first byte of an answer, and says whether a connection was there.
func (l *lasting) answer(request *http.Request, cancel context.CancelCauseFunc, limit time.Duration) (_ *http.Response, reached bool, _ error) {
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	came := make(chan struct{})
	if limit > 0 {
		timer := l.clock.NewTimer(limit)
		go func() {
			defer timer.Stop()
			select {
			case <-timer.C():
				cancel(errSilent)
			case <-came:
			case <-ctx.Done():
			}
		}()
	}
	response, err := l.next.RoundTrip(request.WithContext(ctx))
	close(came)
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
			err = cause
		}
		return nil, connected.Load(), err
	}
	l.reached.Store(true)
	return response, true, nil
}
