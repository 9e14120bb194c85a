// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import "flag"

// poolFlags begin the names of the flags that set pool.Options.
const poolFlags = "sandbox-warm-pool-"

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
	c.addExtensionFlags(flags)
}

func (c *Config) addExtensionFlags(flags *flag.FlagSet) {
	flags.BoolVar(&c.Extensions, "extensions", c.Extensions,
		"Serve SandboxClaims, SandboxTemplates and SandboxWarmPools too. The other flags below do nothing without it.")
	flags.IntVar(&c.SandboxClaimConcurrentWorkers, "sandbox-claim-concurrent-workers", c.SandboxClaimConcurrentWorkers,
		"SandboxClaims reconciled at the same time.")
	flags.IntVar(&c.SandboxWarmPoolConcurrentWorkers, "sandbox-warm-pool-concurrent-workers", c.SandboxWarmPoolConcurrentWorkers,
		"SandboxWarmPools reconciled at the same time.")
	flags.IntVar(&c.SandboxTemplateConcurrentWorkers, "sandbox-template-concurrent-workers", c.SandboxTemplateConcurrentWorkers,
		"SandboxTemplates reconciled at the same time.")
	flags.IntVar(&c.Pools.MaxBatch, poolFlags+"max-batch-size", c.Pools.MaxBatch,
		"Sandboxes that a pool creates, and deletes, at most in one pass.")
	flags.DurationVar(&c.Pools.ReadinessGracePeriod, poolFlags+"readiness-grace-period", c.Pools.ReadinessGracePeriod,
		"How long a pool's Sandbox may be not Ready, once it has a node, before it is replaced.")
	flags.DurationVar(&c.Pools.UnschedulableRecheck, poolFlags+"unschedulable-recheck", c.Pools.UnschedulableRecheck,
		"How often a pool looks at its Sandboxes that no node takes. They are held: others would fare no better.")
	flags.DurationVar(&c.Pools.RefillDelay, poolFlags+"refill-delay", c.Pools.RefillDelay,
		"How long no claim must have taken a Sandbox from a pool before it is refilled: claims go first. Claims that keep coming "+
			"put it off, up to ten times as long.")
	flags.Float64Var(&c.Pools.RefillRate, poolFlags+"refill-rate", c.Pools.RefillRate,
		"Sandboxes a second that a pool creates at most; 0 is no limit.")
	flags.Func("router-namespace",
		"Namespace whose sandbox-router the default NetworkPolicy lets in; may be given several times. Default: the operator's own.",
		func(namespace string) error {
			c.RouterNamespaces = append(c.RouterNamespaces, namespace)
			return nil
		})
}
