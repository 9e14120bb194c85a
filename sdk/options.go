// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/clock"
)

// Limits that hold unless an Option says otherwise.
const (
	DefaultReadyTimeout   = 3 * time.Minute
	DefaultCleanupTimeout = 30 * time.Second
	DefaultMaxOutput      = 16 << 20
	DefaultMaxFile        = 256 << 20
)

// options are what the Options set.
type options struct {
	namespace      string
	readyTimeout   time.Duration
	cleanupTimeout time.Duration
	maxOutput      int64
	maxFile        int64
	tracers        trace.TracerProvider
	clock          clock.WithTicker
	progress       func(sandbox, obstacle string)
}

// Option changes how a Client works.
type Option func(*options)

// WithNamespace has the Client work in a namespace. Without it, it works in "default".
func WithNamespace(namespace string) Option { return func(o *options) { o.namespace = namespace } }

// WithReadyTimeout is how long a sandbox may take to become ready.
func WithReadyTimeout(d time.Duration) Option { return func(o *options) { o.readyTimeout = d } }

// WithCleanupTimeout is how long Close may take: half for operations that still run, half for the deletion.
func WithCleanupTimeout(d time.Duration) Option { return func(o *options) { o.cleanupTimeout = d } }

// WithMaxOutput is how many bytes Run keeps of each of the two outputs. A command that writes more is ErrTooLarge.
func WithMaxOutput(bytes int64) Option { return func(o *options) { o.maxOutput = bytes } }

// WithMaxFile is how many bytes Read and Write move at most. More is ErrTooLarge.
func WithMaxFile(bytes int64) Option { return func(o *options) { o.maxFile = bytes } }

// WithTracerProvider is where spans go. Without it they go to OpenTelemetry's global provider, which is none by default.
func WithTracerProvider(p trace.TracerProvider) Option { return func(o *options) { o.tracers = p } }

// WithClock is where the time comes from; tests own it.
func WithClock(c clock.WithTicker) Option { return func(o *options) { o.clock = c } }

// WithProgress is told what a sandbox that is being created or resumed waits for, whenever that changes, and once if no operator is
// there to do it, where the caller may look. Calls may come from several goroutines.
func WithProgress(tell func(sandbox, obstacle string)) Option {
	return func(o *options) { o.progress = tell }
}
