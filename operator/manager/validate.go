// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// metricsOff is the address that disables the metrics endpoint.
const metricsOff = "0"

// Validate returns all errors at once, each with the flag and the values that it accepts.
func (c Config) Validate() error {
	var errs []error
	invalid := func(flag, format string, args ...any) {
		errs = append(errs, fmt.Errorf("--%s "+format, append([]any{flag}, args...)...))
	}
	if problems := validation.IsDNS1123Subdomain(c.ClusterDomain); len(problems) > 0 {
		invalid("cluster-domain", "%q is not a domain: %s", c.ClusterDomain, strings.Join(problems, ", "))
	}
	if err := validateAddress(c.HealthProbeBindAddress); err != nil {
		invalid("health-probe-bind-address", "%q: %w (want host:port or :port)", c.HealthProbeBindAddress, err)
	}
	if c.LeaderElectionNamespace != "" {
		if problems := validation.IsDNS1123Label(c.LeaderElectionNamespace); len(problems) > 0 {
			invalid("leader-election-namespace", "%q is not a namespace: %s", c.LeaderElectionNamespace,
				strings.Join(problems, ", "))
		}
	}
	if c.KubeAPIQPS == 0 || (c.KubeAPIQPS < 0 && c.KubeAPIQPS != -1) {
		invalid("kube-api-qps", "%v: want a positive number, or -1 for no limit", c.KubeAPIQPS)
	}
	if c.KubeAPIBurst <= 0 {
		invalid("kube-api-burst", "%d: want a positive number", c.KubeAPIBurst)
	}
	for _, workers := range []struct {
		flag   string
		number int
	}{
		{"sandbox-concurrent-workers", c.SandboxConcurrentWorkers},
		{"sandbox-claim-concurrent-workers", c.SandboxClaimConcurrentWorkers},
		{"sandbox-warm-pool-concurrent-workers", c.SandboxWarmPoolConcurrentWorkers},
		{"sandbox-template-concurrent-workers", c.SandboxTemplateConcurrentWorkers},
	} {
		if workers.number <= 0 {
			invalid(workers.flag, "%d: want a positive number", workers.number)
		}
	}
	c.Pools.Validate(func(setting, format string, args ...any) { invalid(poolFlags+setting, format, args...) })
	for _, list := range []struct {
		flag       string
		namespaces []string
	}{
		{"router-namespace", c.RouterNamespaces}, {"tenant-router-namespaces", c.TenantRouterNamespaces},
		{"watch-namespaces", c.WatchNamespaces},
	} {
		for _, namespace := range list.namespaces {
			if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
				invalid(list.flag, "%q is not a namespace: %s", namespace, strings.Join(problems, ", "))
			}
		}
	}
	c.validateMetrics(invalid)
	return errors.Join(errs...)
}

// validateMetrics validates the settings of the metrics endpoint and of everything that it serves.
func (c Config) validateMetrics(invalid func(flag, format string, args ...any)) {
	if c.MetricsBindAddress != metricsOff {
		if err := validateAddress(c.MetricsBindAddress); err != nil {
			invalid("metrics-bind-address", "%q: %w (want host:port, :port, or 0 for none)", c.MetricsBindAddress, err)
		}
	}
	for _, served := range []struct {
		flag string
		on   bool
	}{{"metrics-secure", c.MetricsSecure}, {"enable-pprof", c.EnablePprof}, {"enable-pprof-debug", c.EnablePprofDebug}} {
		if served.on && c.MetricsBindAddress == metricsOff {
			invalid(served.flag, "is served on the metrics endpoint: set --metrics-bind-address")
		}
	}
	if c.MetricsCertPath != "" && !c.MetricsSecure {
		invalid("metrics-cert-path", "%q: a certificate needs --metrics-secure", c.MetricsCertPath)
	}
	for _, name := range []struct{ flag, file string }{
		{"metrics-cert-name", c.MetricsCertName}, {"metrics-cert-key", c.MetricsCertKey},
	} {
		if name.file == "" || name.file != filepath.Base(name.file) {
			invalid(name.flag, "%q: want the name of a file in --metrics-cert-path", name.file)
		}
	}
}

// Warnings returns warnings about valid settings that are probably not intended.
func (c Config) Warnings() []string {
	var all []string
	const maxWorkers = 1000
	workers := c.SandboxConcurrentWorkers
	if c.Extensions {
		workers += c.SandboxClaimConcurrentWorkers + c.SandboxWarmPoolConcurrentWorkers + c.SandboxTemplateConcurrentWorkers
	}
	if workers > maxWorkers {
		all = append(all, fmt.Sprintf("more than %d workers put a heavy load on the API server", maxWorkers))
	}
	if c.KubeAPIQPS > 0 && workers > c.KubeAPIBurst {
		all = append(all, "more workers than --kube-api-burst: they wait for the client-side rate limit")
	}
	if c.EnablePprofDebug {
		all = append(all, "--enable-pprof-debug costs time, and shows the contents of memory to everybody who can reach "+
			"the metrics endpoint")
	}
	return all
}

func validateAddress(a string) error {
	_, port, err := net.SplitHostPort(a)
	if err != nil {
		return errors.New("not an address")
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return errors.New("not a port")
	}
	return nil
}
