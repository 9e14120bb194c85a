// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manager assembles the operator: one validated Config, the cache, the reconcilers, leader election and probes.
package manager

import (
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/pool"
)

// Config is everything that can be set about the operator. Flags fill it; nothing reads a flag elsewhere.
type Config struct {
	ClusterDomain            string
	MetricsBindAddress       string // "0" turns metrics off
	HealthProbeBindAddress   string
	LeaderElect              bool
	LeaderElectionNamespace  string // empty: the namespace that the operator runs in
	KubeAPIQPS               float64
	KubeAPIBurst             int
	SandboxConcurrentWorkers int
	WatchNamespaces          []string // empty: all of them
	SeparateWatchConnection  bool
	EnableTracing            bool

	// Secure metrics are served over TLS, to those whom the API server lets read them. The files are in MetricsCertPath;
	// where it is empty the certificate is signed by itself.
	MetricsSecure   bool
	MetricsCertPath string
	MetricsCertName string
	MetricsCertKey  string

	// Profiles are served next to the metrics.
	EnablePprof               bool
	EnablePprofDebug          bool // implies EnablePprof
	PprofBlockProfileRate     int  // nanoseconds blocked for one sample; 0 or less is off
	PprofMutexProfileFraction int  // contentions for one sample; 0 or less is off

	// Extensions adds SandboxClaims, SandboxTemplates and SandboxWarmPools; what follows does nothing without it.
	Extensions                       bool
	SandboxClaimConcurrentWorkers    int
	SandboxWarmPoolConcurrentWorkers int
	SandboxTemplateConcurrentWorkers int
	Pools                            pool.Options
	RouterNamespaces                 []string // empty: the namespace that the operator runs in
}

// Defaults are the values of a Config that nobody has touched. Why they are what they are stands beside the flags.
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
			RefillDelay:          500 * time.Millisecond,
		},
	}
}
