// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
)

// Limits that apply unless an Option changes them.
const (
	DefaultReadyTimeout   = 3 * time.Minute
	DefaultRequestTimeout = 3 * time.Minute
	DefaultCleanupTimeout = 30 * time.Second
	DefaultMaxOutput      = 16 << 20
	DefaultMaxFile        = 256 << 20
)

// options are the settings that Options change.
type options struct {
	namespace      string
	readyTimeout   time.Duration
	requestTimeout time.Duration
	cleanupTimeout time.Duration
	maxOutput      int64
	maxFile        int64
	tracers        trace.TracerProvider
	clock          clock.WithTicker
	progress       func(sandbox, obstacle string)
	strategy       connect.Strategy
	token          connect.TokenSource
	transport      *http.Transport
	runtimePort    int
	service        string
}

// Option changes how a Client works.
type Option func(*options)

// WithNamespace sets the namespace; the default is "default".
func WithNamespace(namespace string) Option { return func(o *options) { o.namespace = namespace } }

// WithReadyTimeout sets how long a sandbox may take to become ready.
func WithReadyTimeout(d time.Duration) Option { return func(o *options) { o.readyTimeout = d } }

// WithRequestTimeout sets how long one attempt of an operation may take until the remote end begins to answer. What has
// begun has no time limit, but if nothing has come for that long, the Client asks whether the sandbox is alive.
// Contexts limit whole operations.
func WithRequestTimeout(d time.Duration) Option { return func(o *options) { o.requestTimeout = d } }

// WithCleanupTimeout sets how long Close may take: half for running operations, half for the deletion.
func WithCleanupTimeout(d time.Duration) Option { return func(o *options) { o.cleanupTimeout = d } }

// WithMaxOutput sets how many bytes Run keeps of each of the two outputs. If a command writes more, the error is
// ErrTooLarge.
func WithMaxOutput(bytes int64) Option { return func(o *options) { o.maxOutput = bytes } }

// WithMaxFile sets how many bytes Read and Write transfer at most. Beyond that the error is ErrTooLarge.
func WithMaxFile(bytes int64) Option { return func(o *options) { o.maxFile = bytes } }

// WithConnection sets how HTTP requests (Transport, HTTPClient, Runtime) find the router. Without it they go to the Pod
// through the API server, which needs no router and the permission to create pods/portforward.
func WithConnection(strategy connect.Strategy) Option {
	return func(o *options) { o.strategy = strategy }
}

// WithRouterToken sets the token that the router gets with each request.
func WithRouterToken(token connect.TokenSource) Option { return func(o *options) { o.token = token } }

// WithRuntimePort sets the port of the runtime in sandboxes; the default is 8888.
func WithRuntimePort(port int) Option { return func(o *options) { o.runtimePort = port } }

// WithHTTPTransport sets the transport for requests to the router, for instance one that trusts its certificate. The
// Client uses a copy; by default, one of http.DefaultTransport.
func WithHTTPTransport(t *http.Transport) Option { return func(o *options) { o.transport = t } }

// WithTracerProvider sets where spans go; the default is OpenTelemetry's global provider, which discards them unless
// the program sets one.
func WithTracerProvider(p trace.TracerProvider) Option { return func(o *options) { o.tracers = p } }

// WithTraceServiceName sets what the names of spans begin with (SERVICE.run and so on); the default is sandbox-client.
func WithTraceServiceName(service string) Option { return func(o *options) { o.service = service } }

// WithClock sets the source of time, for tests.
func WithClock(c clock.WithTicker) Option { return func(o *options) { o.clock = c } }

// WithProgress sets a function that receives what a sandbox is waiting for while it is created or resumed, whenever
// that changes, and once that no operator is running, if the caller may read that. It may be called concurrently.
func WithProgress(tell func(sandbox, obstacle string)) Option {
	return func(o *options) { o.progress = tell }
}
