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

// metricsServer returns the options of the metrics server. Its authorization applies to the profiles too.
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

// newMetrics returns the metrics and, if the endpoint is enabled, registers them until unregister is called.
// controller-runtime has one registry per process, so only one operator in a process can have an endpoint.
func newMetrics(mgr ctrl.Manager, config Config) (m *metrics.Metrics, unregister func(), err error) {
	isLeader := func() bool {
		select {
		case <-mgr.Elected():
			return true
		default:
			return false
		}
	}
	m, err = metrics.New(clock.RealClock{}, isLeader)
	if err != nil || config.MetricsBindAddress == metricsOff {
		return m, func() {}, err
	}
	if err := ctrlmetrics.Registry.Register(m); err != nil {
		return nil, nil, fmt.Errorf("register metrics: %w", err)
	}
	return m, func() { ctrlmetrics.Registry.Unregister(m) }, nil
}

// profileHandlers returns the handlers of the enabled profiles. Only the metrics server serves them.
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

// setProfileRates sets the sampling rates of the block and mutex profiles.
func (c Config) setProfileRates() {
	if c.EnablePprofDebug {
		runtime.SetBlockProfileRate(max(0, c.PprofBlockProfileRate))
		runtime.SetMutexProfileFraction(max(0, c.PprofMutexProfileFraction))
	}
}
