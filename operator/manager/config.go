// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manager assembles the operator: one validated Config, the cache, the reconcilers, leader election and probes.
package manager

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/operator/pool"
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

	// Extensions adds SandboxClaims, SandboxTemplates and SandboxWarmPools; what follows does nothing without it.
	Extensions                       bool
	SandboxClaimConcurrentWorkers    int
	SandboxWarmPoolConcurrentWorkers int
	SandboxTemplateConcurrentWorkers int
	Pools                            pool.Options
	RouterNamespaces                 []string // empty: the namespace that the operator runs in
}

// Defaults are the values of a Config that nobody has touched. Sandboxes are mostly waiting for the API server, so a few
// workers keep one slow answer from holding up the others.
func Defaults() Config {
	return Config{
		ClusterDomain:            "cluster.local",
		MetricsBindAddress:       ":8080",
		HealthProbeBindAddress:   ":8081",
		LeaderElect:              true,
		KubeAPIQPS:               -1,
		KubeAPIBurst:             10,
		SandboxConcurrentWorkers: 10,

		SandboxClaimConcurrentWorkers:    10,
		SandboxWarmPoolConcurrentWorkers: 4,
		SandboxTemplateConcurrentWorkers: 2,
		Pools: pool.Options{
			MaxBatch:             300,
			ReadinessGracePeriod: 5 * time.Minute,
			UnschedulableRecheck: time.Minute,
			RefillDelay:          100 * time.Millisecond,
		},
	}
}

// Validate returns every mistake at once, each with the flag's name and what it takes.
func (c Config) Validate() error {
	var mistakes []error
	wrong := func(flag, format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("--%s "+format, append([]any{flag}, args...)...))
	}
	if problems := validation.IsDNS1123Subdomain(c.ClusterDomain); len(problems) > 0 {
		wrong("cluster-domain", "%q is not a domain: %s", c.ClusterDomain, strings.Join(problems, ", "))
	}
	if c.MetricsBindAddress != "0" {
		if err := address(c.MetricsBindAddress); err != nil {
			wrong("metrics-bind-address", "%q: %w (want host:port, :port, or 0 for none)", c.MetricsBindAddress, err)
		}
	}
	if err := address(c.HealthProbeBindAddress); err != nil {
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
	for _, namespace := range c.RouterNamespaces {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			wrong("router-namespace", "%q is not a namespace: %s", namespace, strings.Join(problems, ", "))
		}
	}
	return errors.Join(mistakes...)
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
	return all
}

func address(a string) error {
	_, port, err := net.SplitHostPort(a)
	if err != nil {
		return errors.New("not an address")
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return errors.New("not a port")
	}
	return nil
}
