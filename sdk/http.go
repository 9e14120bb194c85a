// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// HTTPClient returns a client for the HTTP server on a port of the sandbox. The host in the URLs of requests does not
// matter: http://sandbox/path. It follows redirects within the host that the request named, and returns others.
func (s *Sandbox) HTTPClient(port int) *http.Client {
	within := func(next *http.Request, before []*http.Request) error {
		if next.URL.Host != before[0].URL.Host || len(before) >= maxRedirects {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &http.Client{Transport: s.Transport(port), CheckRedirect: within}
}

const maxRedirects = 10

// Transport returns a transport for the HTTP server on a port of the sandbox. Scheme and host of requests do not
// matter: they go to the sandbox, through the router that WithConnection finds, or else through the API server to the
// Pod. A WebSocket works as well, because the body of an answer 101 is an io.ReadWriteCloser.
//
// A request is sent once. The answer has to begin within the request timeout, or within the time that the context of
// the request permits, if that has a deadline; while the body of the request moves, the time starts again. An answer
// that has begun has no time limit. Close waits until the bodies of answers are read or closed.
//
// Each request gets a header X-Request-ID, unless it has one.
//
// Errors of the sandbox's handle are of type *Error. What the router answers itself, such as 503 for a suspended
// sandbox, is an answer.
func (s *Sandbox) Transport(port int) http.RoundTripper { return &roundTripper{s, port} }

type roundTripper struct {
	sandbox *Sandbox
	port    int
}

// partRoundTripper is the round tripper for requests that are part of an operation of the handle.
type partRoundTripper struct{ roundTripper }

// RoundTrip implements http.RoundTripper.
func (t *partRoundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	e := newExchange(request.Context(), t.sandbox, requestID(request), func(error) {})
	return t.exchange(e, request)
}

// CloseIdleConnections serves http.Client.
func (t *roundTripper) CloseIdleConnections() {
	t.sandbox.direct.CloseIdleConnections()
	t.sandbox.client.router.closeIdleConnections()
}

// RoundTrip implements http.RoundTripper.
func (t *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	s := t.sandbox
	ctx, span, leave, err := s.enter(request.Context())
	if err != nil {
		closeBody(request)
		return nil, s.wrap("http", err)
	}
	ctx, done := s.client.tracer.startOperation(ctx, span, s, "http")
	note(ctx, AttrPort.Int(t.port))
	e := newExchange(ctx, s, requestID(request), func(err error) { done(err); leave() })
	response, err := t.exchange(e, request)
	return response, s.wrap("http", err)
}

// exchange sends a request and returns its answer, with whose body the exchange ends.
func (t *roundTripper) exchange(e *exchange, request *http.Request) (*http.Response, error) {
	response, err := t.send(e, request)
	if err != nil {
		err = e.explain(err)
		e.end(err)
		return nil, err
	}
	e.begun(response)
	return response, nil
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close() // as a RoundTripper has to
	}
}

// send sends a request to the router or to the Pod.
func (t *roundTripper) send(e *exchange, request *http.Request) (*http.Response, error) {
	if t.port < 1 || t.port > maxPort {
		closeBody(request)
		return nil, fmt.Errorf("%d is not a port: use 1 to %d", t.port, maxPort)
	}
	request = request.Clone(e.ctx)
	request.Header.Set(headerRequestID, e.id)
	propagation.TraceContext{}.Inject(e.ctx, propagation.HeaderCarrier(request.Header))
	e.watch(request)
	if t.sandbox.client.router == nil {
		request.URL.Scheme, request.URL.Host = "http", "localhost:"+strconv.Itoa(t.port)
		request.Host = request.URL.Host // as with a port-forward to this machine
		return t.sandbox.direct.RoundTrip(request)
	}
	return t.throughRouter(e, request)
}

const headerRequestID = "X-Request-ID"

// throughRouter sends a request to the router, with the headers that it needs.
func (t *roundTripper) throughRouter(e *exchange, request *http.Request) (*http.Response, error) {
	s, router := t.sandbox, t.sandbox.client.router
	endpoint, err := router.endpoint(e.ctx)
	if err == nil {
		err = router.authorize(request)
	}
	if err != nil {
		closeBody(request)
		return nil, err
	}
	prefix(request.URL, endpoint.URL)
	request.Host = ""
	_, uid := s.reference()
	for name, value := range map[string]string{
		apis.HeaderSandboxID: s.name, apis.HeaderSandboxUID: string(uid), apis.HeaderSandboxNamespace: s.namespace,
		apis.HeaderSandboxPort: strconv.Itoa(t.port), apis.HeaderSandboxTimeout: seconds(e.timeLeft()),
	} {
		request.Header.Set(name, value)
	}
	return router.transport.RoundTrip(request)
}

// maxTimeout is the longest that the router waits for an answer.
const maxTimeout = 24 * time.Hour

// seconds formats a duration as the router reads it.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(min(max(d, time.Millisecond), maxTimeout).Seconds(), 'f', 3, 64)
}

// prefix sends a URL to an endpoint. The path stays as it is, byte for byte, behind that of the endpoint.
func prefix(to, endpoint *url.URL) {
	to.Scheme, to.Host = endpoint.Scheme, endpoint.Host
	if base := strings.TrimSuffix(endpoint.Path, "/"); base != "" {
		escaped := strings.TrimSuffix(endpoint.EscapedPath(), "/") + to.EscapedPath()
		to.Path, to.RawPath = base+to.Path, escaped
	}
}

// errNoAnswer is the cause of the end of a request whose answer did not begin in time.
var errNoAnswer = fmt.Errorf("%w: the answer did not begin within the request timeout", errAttempt)

// requestIDKey is the key of the ID that all attempts of an operation have, in its context.
type requestIDKey struct{}

// withRequestID gives all attempts of an operation the same new ID.
func withRequestID(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestIDKey{}, string(uuid.NewUUID()))
}

// requestID returns the ID of a request: that of the caller, of its operation, or a new one.
func requestID(request *http.Request) string {
	if id := request.Header.Get(headerRequestID); id != "" {
		return id
	}
	if id, ok := request.Context().Value(requestIDKey{}).(string); ok {
		return id
	}
	return string(uuid.NewUUID())
}

// explain returns why a request failed.
func (e *exchange) explain(err error) error {
	if cause := context.Cause(e.ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
