// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manager assembles the operator: one validated Config, the cache, the reconcilers, leader election and probes.
package manager

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
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
	}
}

// AddFlags binds the fields to flags; what the Config holds now are the defaults.
func (c *Config) AddFlags(flags *flag.FlagSet) {
	flags.StringVar(&c.ClusterDomain, "cluster-domain", c.ClusterDomain, "DNS suffix of the cluster's Services.")
	flags.StringVar(&c.MetricsBindAddress, "metrics-bind-address", c.MetricsBindAddress,
		"Address of the metrics endpoint; 0 turns it off.")
	flags.StringVar(&c.HealthProbeBindAddress, "health-probe-bind-address", c.HealthProbeBindAddress,
		"Address of /healthz and /readyz.")
	flags.BoolVar(&c.LeaderElect, "leader-elect", c.LeaderElect, "Let one replica act at a time.")
	flags.StringVar(&c.LeaderElectionNamespace, "leader-election-namespace", c.LeaderElectionNamespace,
		"Namespace of the leader's Lease; empty means the operator's own.")
	flags.Float64Var(&c.KubeAPIQPS, "kube-api-qps", c.KubeAPIQPS,
		"Requests a second to the API server; -1 leaves the limit to the server.")
	flags.IntVar(&c.KubeAPIBurst, "kube-api-burst", c.KubeAPIBurst, "Requests at once above kube-api-qps.")
	flags.IntVar(&c.SandboxConcurrentWorkers, "sandbox-concurrent-workers", c.SandboxConcurrentWorkers,
		"Sandboxes reconciled at the same time.")
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
	if c.SandboxConcurrentWorkers <= 0 {
		wrong("sandbox-concurrent-workers", "%d: want a positive number", c.SandboxConcurrentWorkers)
	}
	return errors.Join(mistakes...)
}

// Warnings are settings that work and are likely not meant.
func (c Config) Warnings() []string {
	var all []string
	const many = 1000
	if c.SandboxConcurrentWorkers > many {
		all = append(all, fmt.Sprintf("more than %d workers put a heavy load on the API server", many))
	}
	if c.KubeAPIQPS > 0 && c.SandboxConcurrentWorkers > c.KubeAPIBurst {
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
