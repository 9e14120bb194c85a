// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package otlp

import "testing"

func TestTracesAreExportedWhereTheEnvironmentNamesACollector(t *testing.T) {
	const collector = "http://collector:4317"
	tests := map[string]struct {
		environment map[string]string
		want        bool
	}{
		"nothing is set":               {nil, false},
		"a collector":                  {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector}, true},
		"a collector for traces alone": {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": collector}, true},
		"an empty value is none":       {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": " "}, false},
		"OpenTelemetry is turned off": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_SDK_DISABLED": "TRUE"}, false,
		},
		"traces are turned off": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_TRACES_EXPORTER": "none"}, false,
		},
		"traces are turned on": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_TRACES_EXPORTER": "otlp"}, true,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Enabled(func(name string) (string, bool) {
				value, set := tt.environment[name]
				return value, set
			})
			if got != tt.want {
				t.Errorf("enabled: %v", got)
			}
		})
	}
}
