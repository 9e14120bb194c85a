// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"runtime"

	"github.com/felixge/fgprof"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
)

// metricsServer configures the metrics server. What it guards, it guards for the profiles too.
func (c Config) metricsServer() metricsserver.Options {
	options := metricsserver.Options{
		BindAddress:   c.MetricsBindAddress,
		SecureServing: c.MetricsSecure,
		ExtraHandlers: c.profileHandlers(),
		CertName:      c.MetricsCertName,
		KeyName:       c.MetricsCertKey,
		CertDir:       c.MetricsCertPath,
	}
	if c.MetricsSecure {
		options.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	return options
}

// newMetrics makes the metrics, and shows them on the endpoint if there is one, until hide is called. The library has one registry
// for a process, so only one operator of a process can have an endpoint.
func newMetrics(mgr ctrl.Manager, config Config) (counted *metrics.Metrics, hide func(), err error) {
	leads := func() bool {
		select {
		case <-mgr.Elected():
			return true
		default:
			return false
		}
	}
	counted, err = metrics.New(clock.RealClock{}, leads)
	if err != nil || config.MetricsBindAddress == metricsOff {
		return counted, func() {}, err
	}
	if err := ctrlmetrics.Registry.Register(counted); err != nil {
		return nil, nil, fmt.Errorf("metrics: %w", err)
	}
	return counted, func() { ctrlmetrics.Registry.Unregister(counted) }, nil
}

// profileHandlers are the handlers that the flags ask for. They are on the metrics server and nowhere else.
func (c Config) profileHandlers() map[string]http.Handler {
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

// setProfileRates sets how often the runtime samples what the debug profiles show.
func (c Config) setProfileRates() {
	if c.EnablePprofDebug {
		runtime.SetBlockProfileRate(max(0, c.PprofBlockProfileRate))
		runtime.SetMutexProfileFraction(max(0, c.PprofMutexProfileFraction))
	}
}
