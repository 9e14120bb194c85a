// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package otlp reads the environment variables of OpenTelemetry that say whether a program exports traces.
package otlp

import "strings"

// The environment variables that name a collector. The first takes precedence.
const (
	TracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	Endpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// Enabled reports whether the environment names a collector and turns traces off nowhere.
func Enabled(lookup func(string) (string, bool)) bool {
	value := func(name string) string {
		text, _ := lookup(name)
		return strings.TrimSpace(text)
	}
	if strings.EqualFold(value("OTEL_SDK_DISABLED"), "true") || value("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return value(TracesEndpoint) != "" || value(Endpoint) != ""
}
