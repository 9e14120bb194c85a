// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/clock"
)

// Limits that apply unless an Option changes them.
const (
	DefaultReadyTimeout   = 3 * time.Minute
	DefaultCleanupTimeout = 30 * time.Second
	DefaultMaxOutput      = 16 << 20
	DefaultMaxFile        = 256 << 20
)

// options are the settings that Options change.
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

// WithNamespace sets the namespace; the default is "default".
func WithNamespace(namespace string) Option { return func(o *options) { o.namespace = namespace } }

// WithReadyTimeout sets how long a sandbox may take to become ready.
func WithReadyTimeout(d time.Duration) Option { return func(o *options) { o.readyTimeout = d } }

// WithCleanupTimeout sets how long Close may take: half for running operations, half for the deletion.
func WithCleanupTimeout(d time.Duration) Option { return func(o *options) { o.cleanupTimeout = d } }

// WithMaxOutput sets how many bytes Run keeps of each of the two outputs. If a command writes more, the error is
// ErrTooLarge.
func WithMaxOutput(bytes int64) Option { return func(o *options) { o.maxOutput = bytes } }

// WithMaxFile sets how many bytes Read and Write transfer at most. Beyond that the error is ErrTooLarge.
func WithMaxFile(bytes int64) Option { return func(o *options) { o.maxFile = bytes } }

// WithTracerProvider sets where spans go; the default is OpenTelemetry's global provider, which discards them unless
// the program sets one.
func WithTracerProvider(p trace.TracerProvider) Option { return func(o *options) { o.tracers = p } }

// WithClock sets the source of time, for tests.
func WithClock(c clock.WithTicker) Option { return func(o *options) { o.clock = c } }

// WithProgress sets a function that receives what a sandbox is waiting for while it is created or resumed, whenever
// that changes, and once that no operator is running, if the caller may read that. It may be called concurrently.
func WithProgress(tell func(sandbox, obstacle string)) Option {
	return func(o *options) { o.progress = tell }
}
