// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tracing is for programs that use the SDK and have no OpenTelemetry of their own. Package sdk does not import
// it, so that programs without tracing do not contain an exporter.
package tracing

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// NewTracerProvider returns a provider for sdk.WithTracerProvider that exports spans over OTLP/gRPC. The environment
// variables of OpenTelemetry configure it: OTEL_EXPORTER_OTLP_ENDPOINT says where the collector is, by default
// localhost:4317. The name of the service is serviceName unless OTEL_SERVICE_NAME names another. The caller calls
// Shutdown at the end, which exports the remaining spans.
func NewTracerProvider(ctx context.Context, serviceName string) (*sdktrace.TracerProvider, error) {
	exporter, err := otlptracegrpc.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("create the trace exporter: %w", err)
	}
	described, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", serviceName)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("describe the traced program: %w", err), exporter.Shutdown(ctx))
	}
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described)), nil
}
