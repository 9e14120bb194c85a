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

// metricsOff is the address that turns the metrics endpoint off.
const metricsOff = "0"

// Validate returns every mistake at once, each with the flag's name and what it takes.
func (c Config) Validate() error {
	var mistakes []error
	wrong := func(flag, format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("--%s "+format, append([]any{flag}, args...)...))
	}
	if problems := validation.IsDNS1123Subdomain(c.ClusterDomain); len(problems) > 0 {
		wrong("cluster-domain", "%q is not a domain: %s", c.ClusterDomain, strings.Join(problems, ", "))
	}
	if err := validateAddress(c.HealthProbeBindAddress); err != nil {
		wrong("health-probe-bind-address", "%q: %w (want host:port or :port)", c.HealthProbeBindAddress, err)
	}
	if c.LeaderElectionNamespace != "" {
		if problems := validation.IsDNS1123Label(c.LeaderElectionNamespace); len(problems) > 0 {
			wrong("leader-election-namespace", "%q is not a namespace: %s", c.LeaderElectionNamespace, strings.Join(problems, ", "))
		}
	}
	if c.KubeAPIQPS == 0 || (c.KubeAPIQPS < 0 && c.KubeAPIQPS != -1) {
		wrong("kube-api-qps", "%v: want a positive number, or -1 for no limit", c.KubeAPIQPS)
	}
	if c.KubeAPIBurst <= 0 {
		wrong("kube-api-burst", "%d: want a positive number", c.KubeAPIBurst)
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
			wrong(workers.flag, "%d: want a positive number", workers.number)
		}
	}
	c.Pools.Validate(func(setting, format string, args ...any) { wrong(poolFlags+setting, format, args...) })
	for _, list := range []struct {
		flag       string
		namespaces []string
	}{{"router-namespace", c.RouterNamespaces}, {"watch-namespaces", c.WatchNamespaces}} {
		for _, namespace := range list.namespaces {
			if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
				wrong(list.flag, "%q is not a namespace: %s", namespace, strings.Join(problems, ", "))
			}
		}
	}
	c.validateMetrics(wrong)
	return errors.Join(mistakes...)
}

// validateMetrics judges the metrics endpoint and what is served beside it.
func (c Config) validateMetrics(wrong func(flag, format string, args ...any)) {
	if c.MetricsBindAddress != metricsOff {
		if err := validateAddress(c.MetricsBindAddress); err != nil {
			wrong("metrics-bind-address", "%q: %w (want host:port, :port, or 0 for none)", c.MetricsBindAddress, err)
		}
	}
	for _, beside := range []struct {
		flag string
		on   bool
	}{{"metrics-secure", c.MetricsSecure}, {"enable-pprof", c.EnablePprof}, {"enable-pprof-debug", c.EnablePprofDebug}} {
		if beside.on && c.MetricsBindAddress == metricsOff {
			wrong(beside.flag, "is served on the metrics endpoint: set --metrics-bind-address")
		}
	}
	if c.MetricsCertPath != "" && !c.MetricsSecure {
		wrong("metrics-cert-path", "%q: a certificate needs --metrics-secure", c.MetricsCertPath)
	}
	for _, name := range []struct{ flag, file string }{
		{"metrics-cert-name", c.MetricsCertName}, {"metrics-cert-key", c.MetricsCertKey},
	} {
		if name.file == "" || name.file != filepath.Base(name.file) {
			wrong(name.flag, "%q: want the name of a file in --metrics-cert-path", name.file)
		}
	}
}

// Warnings are settings that work and are likely not meant.
func (c Config) Warnings() []string {
	var all []string
	const many = 1000
	workers := c.SandboxConcurrentWorkers
	if c.Extensions {
		workers += c.SandboxClaimConcurrentWorkers + c.SandboxWarmPoolConcurrentWorkers + c.SandboxTemplateConcurrentWorkers
	}
	if workers > many {
		all = append(all, fmt.Sprintf("more than %d workers put a heavy load on the API server", many))
	}
	if c.KubeAPIQPS > 0 && workers > c.KubeAPIBurst {
		all = append(all, "more workers than --kube-api-burst: they will wait for the client-side limit")
	}
	if c.EnablePprofDebug {
		all = append(all, "--enable-pprof-debug costs time and shows what is in memory to everybody who reaches the metrics endpoint")
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
