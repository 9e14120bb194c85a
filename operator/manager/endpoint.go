// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"net/http"
	"net/http/pprof"
	"runtime"

	"github.com/felixge/fgprof"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// endpoint configures the metrics server. What it guards, it guards for the profiles too.
func (c Config) endpoint() metricsserver.Options {
	options := metricsserver.Options{
		BindAddress:   c.MetricsBindAddress,
		SecureServing: c.MetricsSecure,
		ExtraHandlers: c.profiles(),
		CertName:      c.MetricsCertName,
		KeyName:       c.MetricsCertKey,
		CertDir:       c.MetricsCertPath,
	}
	if c.MetricsSecure {
		options.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	return options
}

// profiles are the handlers that the flags ask for. They are on the metrics server and nowhere else.
func (c Config) profiles() map[string]http.Handler {
	all := map[string]http.Handler{}
	if c.EnablePprof || c.EnablePprofDebug {
		all["/debug/pprof/profile"] = http.HandlerFunc(pprof.Profile)
	}
	if !c.EnablePprofDebug {
		return all
	}
	all["/debug/pprof/"] = http.HandlerFunc(pprof.Index)
	all["/debug/pprof/cmdline"] = http.HandlerFunc(pprof.Cmdline)
	all["/debug/pprof/symbol"] = http.HandlerFunc(pprof.Symbol)
	all["/debug/pprof/trace"] = http.HandlerFunc(pprof.Trace)
	for _, profile := range []string{"heap", "goroutine", "allocs", "block", "mutex"} {
		all["/debug/pprof/"+profile] = pprof.Handler(profile)
	}
	all["/debug/fgprof"] = fgprof.Handler()
	return all
}

// sampleForProfiles sets how often the runtime samples what the debug profiles show.
func (c Config) sampleForProfiles() {
	if c.EnablePprofDebug {
		runtime.SetBlockProfileRate(max(0, c.PprofBlockProfileRate))
		runtime.SetMutexProfileFraction(max(0, c.PprofMutexProfileFraction))
	}
}
