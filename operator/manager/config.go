// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manager assembles the operator: configuration, cache, reconcilers, leader election and probes.
package manager

import (
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/apis/otlp"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/pool"
)

// Config holds all settings of the operator. Only this package reads flags.
type Config struct {
	ClusterDomain            string
	MetricsBindAddress       string // "0" disables the metrics endpoint
	HealthProbeBindAddress   string
	LeaderElect              bool
	LeaderElectionNamespace  string // empty: the namespace that the operator runs in
	KubeAPIQPS               float64
	KubeAPIBurst             int
	SandboxConcurrentWorkers int
	WatchNamespaces          []string // empty: all namespaces
	SeparateWatchConnection  bool
	EnableTracing            bool

	// MetricsSecure serves the metrics over TLS, to clients that the API server authorizes. The certificate and its key
	// are in MetricsCertPath; if it is empty, the certificate is self-signed.
	MetricsSecure   bool
	MetricsCertPath string
	MetricsCertName string
	MetricsCertKey  string

	// Profiles are served by the metrics endpoint.
	EnablePprof               bool
	EnablePprofDebug          bool // implies EnablePprof
	PprofBlockProfileRate     int  // nanoseconds of blocking per sample; 0 or less disables the profile
	PprofMutexProfileFraction int  // contentions per sample; 0 or less disables the profile

	// Extensions adds SandboxClaims, SandboxTemplates and SandboxWarmPools. The fields below have no effect without it.
	Extensions                       bool
	SandboxClaimConcurrentWorkers    int
	SandboxWarmPoolConcurrentWorkers int
	SandboxTemplateConcurrentWorkers int
	Pools                            pool.Options
	RouterNamespaces                 []string // empty: the namespace that the operator runs in
	TenantRouterNamespaces           []string // with a router that only policies of the same namespace admit
}

// Defaults returns the default Config. Config.Sections has the reason for each default.
func Defaults() Config {
	return Config{
		ClusterDomain:            "cluster.local",
		MetricsBindAddress:       ":8080",
		HealthProbeBindAddress:   ":8081",
		LeaderElect:              true,
		KubeAPIQPS:               -1,
		KubeAPIBurst:             10,
		SandboxConcurrentWorkers: 10,
		SeparateWatchConnection:  true,
		MetricsCertName:          "tls.crt",
		MetricsCertKey:           "tls.key",

		PprofBlockProfileRate:     1000000,
		PprofMutexProfileFraction: 10,

		SandboxClaimConcurrentWorkers:    10,
		SandboxWarmPoolConcurrentWorkers: 4,
		SandboxTemplateConcurrentWorkers: 2,
		Pools: pool.Options{
			MaxBatch:             300,
			ReadinessGracePeriod: 5 * time.Minute,
			UnschedulableRecheck: time.Minute,
		},
	}
}

// Environment enables tracing if the environment names a collector.
func (c *Config) Environment(lookup func(string) (string, bool)) {
	c.EnableTracing = otlp.Enabled(lookup)
}
