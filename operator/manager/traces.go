// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"

	"github.com/go-logr/logr"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// newTracer returns what the configuration asks for.
func newTracer(ctx context.Context, config Config, log logr.Logger) (*tracing.Tracer, error) {
	if !config.EnableTracing {
		return tracing.Off(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, waits.Tracing)
	defer cancel()
	return tracing.Setup(ctx, log.WithName("tracing"))
}

// shutdownTracer sends the last spans, although the operator's context has ended.
func shutdownTracer(ctx context.Context, tracer *tracing.Tracer, log logr.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), waits.Tracing)
	defer cancel()
	if err := tracer.Shutdown(ctx); err != nil {
		log.Error(err, "the last traces are lost")
	}
}
