// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"

	"github.com/go-logr/logr"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// newTracer returns a Tracer that does nothing unless tracing is enabled.
func newTracer(ctx context.Context, config Config, log logr.Logger) (*tracing.Tracer, error) {
	if !config.EnableTracing {
		return tracing.Off(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, waits.Tracing)
	defer cancel()
	return tracing.Setup(ctx, log.WithName("tracing"))
}

// shutdownTracer exports the last spans. The context may have ended.
func shutdownTracer(ctx context.Context, tracer *tracing.Tracer, log logr.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), waits.Tracing)
	defer cancel()
	if err := tracer.Shutdown(ctx); err != nil {
		log.Error(err, "export the last traces")
	}
}
