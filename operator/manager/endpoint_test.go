// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"maps"
	"slices"
	"testing"
)

func TestProfilesAreServedAsFarAsTheFlagsAsk(t *testing.T) {
	debug := []string{
		"/debug/fgprof", "/debug/pprof/", "/debug/pprof/allocs", "/debug/pprof/block", "/debug/pprof/cmdline",
		"/debug/pprof/goroutine",
		"/debug/pprof/heap", "/debug/pprof/mutex", "/debug/pprof/profile", "/debug/pprof/symbol", "/debug/pprof/trace",
	}
	tests := map[string]struct {
		args []string
		want []string
	}{
		"none unless asked for":                       {nil, nil},
		"the CPU profile alone":                       {[]string{"--enable-pprof"}, []string{"/debug/pprof/profile"}},
		"all of them, which includes the CPU profile": {[]string{"--enable-pprof-debug"}, debug},
		"the wider of both flags":                     {[]string{"--enable-pprof-debug", "--enable-pprof=false"}, debug},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := slices.Sorted(maps.Keys(parsed(t, tt.args...).metricsServer().ExtraHandlers))
			if !slices.Equal(got, tt.want) {
				t.Errorf("served: %v", got)
			}
		})
	}
}

func TestSecureMetricsAskTheAPIServer(t *testing.T) {
	if parsed(t).metricsServer().FilterProvider != nil {
		t.Error("plain metrics are guarded")
	}
	guarded := parsed(t, "--metrics-secure", "--metrics-cert-path=/certs").metricsServer()
	if guarded.FilterProvider == nil || !guarded.SecureServing || guarded.CertDir != "/certs" ||
		guarded.CertName != "tls.crt" {
		t.Errorf("secure metrics: %+v", guarded)
	}
}
