// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

// Sections returns all flags except --version and those of zap. docs/reference/operator-flags.md is generated from
// them.
func (c *Config) Sections() []Section {
	return []Section{
		{"Scope", c.scopeFlags()},
		{"API server", c.clientFlags()},
		{"Workers", c.workerFlags()},
		{"Warm pools", c.poolFlags()},
		{"Leader election and probes", c.leaderFlags()},
		{"Metrics and traces", c.metricsFlags()},
		{"Profiles", c.profileFlags()},
	}
}

func (c *Config) scopeFlags() []Flag {
	return []Flag{
		{"extensions", "Reconcile SandboxClaims, SandboxTemplates and SandboxWarmPools too.",
			"Off, because a cluster may have only the definition of Sandboxes. The install manifests turn it on.",
			&c.Extensions},
		{"watch-namespaces", "Namespaces to watch; repeatable, or comma-separated. Default: all.",
			"One operator serves a whole cluster. With listed namespaces, Roles in them suffice and no ClusterRole is " +
				"needed; the operator neither reads nor writes anything in the rest of the cluster.", &c.WatchNamespaces},
		{"router-namespace", "Namespaces whose sandbox-router the default NetworkPolicy admits; repeatable, or " +
			"comma-separated. Default: the operator's namespace.",
			"The router is normally installed next to the operator. A wider default would open every Sandbox to more clients.",
			&c.RouterNamespaces},
		{"tenant-router-namespaces", "Namespaces with a sandbox-router of their own, which only the default " +
			"NetworkPolicies of the same namespace admit; repeatable, or comma-separated.",
			"None: without a router, nobody in a tenant's namespace should pass as one. install --router-namespaces sets it.",
			&c.TenantRouterNamespaces},
		{"cluster-domain", "DNS domain of the cluster.",
			"The domain of nearly every cluster. It is only used in status.serviceFQDN.", &c.ClusterDomain},
	}
}

func (c *Config) clientFlags() []Flag {
	return []Flag{
		{"kube-api-qps", "Limit of requests per second to the API server; -1 means no limit.",
			"The API server limits its load itself (priority and fairness). A client-side limit only adds a queue that no " +
				"metric shows.",
			&c.KubeAPIQPS},
		{"kube-api-burst", "Burst of requests above --kube-api-qps.",
			"Has no effect while --kube-api-qps is -1.", &c.KubeAPIBurst},
		{"separate-watch-connection", "Use a separate connection for watches.",
			"On a shared HTTP/2 connection, a burst of watch events delays the answers to writes.", &c.SeparateWatchConnection},
	}
}

func (c *Config) workerFlags() []Flag {
	return []Flag{
		{"sandbox-concurrent-workers", "Number of Sandboxes that are reconciled in parallel.",
			"A reconcile mostly waits for the API server. With one worker, one slow answer delays every Sandbox. Ten handle " +
				"a burst, and idle workers cost nothing.", &c.SandboxConcurrentWorkers},
		{"sandbox-claim-concurrent-workers",
			"Number of SandboxClaims that are reconciled in parallel. Requires --extensions.",
			"A claim takes two consecutive writes until it is Ready: ten workers serve about a hundred warm claims per second.",
			&c.SandboxClaimConcurrentWorkers},
		{"sandbox-warm-pool-concurrent-workers",
			"Number of SandboxWarmPools that are reconciled in parallel. Requires --extensions.",
			"There are few pools, and each writes up to sixteen Sandboxes in parallel. More workers would slow down claims.",
			&c.SandboxWarmPoolConcurrentWorkers},
		{"sandbox-template-concurrent-workers",
			"Number of SandboxTemplates that are reconciled in parallel. Requires --extensions.",
			"Templates change rarely, and a reconcile is at most one write.", &c.SandboxTemplateConcurrentWorkers},
	}
}

func (c *Config) poolFlags() []Flag {
	return []Flag{
		{poolFlags + "max-batch-size",
			"Largest number of Sandboxes that one reconcile of a pool creates, and that it deletes.",
			"One reconcile fills a pool of 300. A mistaken size of a million takes many reconciles, with time to correct it " +
				"in between.",
			&c.Pools.MaxBatch},
		{poolFlags + "readiness-grace-period",
			"Time that a pool's Sandbox with a node has to become Ready before it is replaced.",
			"Longer than the pull of a large image, and short enough that a broken Sandbox does not occupy the pool for long.",
			&c.Pools.ReadinessGracePeriod},
		{poolFlags + "unschedulable-recheck",
			"Period at which a pool checks its unschedulable Sandboxes. They are kept, because replacements would not be " +
				"schedulable either.",
			"New nodes take minutes, and the scheduler retries by itself.", &c.Pools.UnschedulableRecheck},
		{poolFlags + "refill-rate", "Limit of Sandboxes that a pool creates per second; 0 means no limit.",
			"The API server and the scheduler already limit creations. Set it if image pulls or nodes cannot keep up.",
			&c.Pools.RefillRate},
	}
}

func (c *Config) leaderFlags() []Flag {
	return []Flag{
		{"leader-elect", "Elect a leader, so that only one replica reconciles.",
			"Two active replicas would make the same correct writes twice. With one replica, the election costs one small " +
				"request per second.",
			&c.LeaderElect},
		{"leader-election-namespace", "Namespace of the leader's Lease. Default: the operator's namespace.",
			"The operator's namespace is the only one in which it certainly may write Leases.", &c.LeaderElectionNamespace},
		{"health-probe-bind-address", "Address of /healthz and /readyz.",
			"The port of the probes in the manifests.", &c.HealthProbeBindAddress},
	}
}

func (c *Config) metricsFlags() []Flag {
	return []Flag{
		{"metrics-bind-address", "Address of the metrics endpoint; 0 disables it.",
			"The port in the manifests' Service and in most scrape configurations.", &c.MetricsBindAddress},
		{"metrics-secure", "Serve the metrics over TLS, to clients that the API server permits to get the path /metrics.",
			"Off, because existing scrape configurations use plain HTTP. If it is on, the operator must create TokenReviews " +
				"and SubjectAccessReviews.", &c.MetricsSecure},
		{"metrics-cert-path", "Directory with the certificate of the secure metrics endpoint. If empty, the certificate " +
			"is self-signed.",
			"A managed certificate requires something that renews it. A self-signed one encrypts the connection too.",
			&c.MetricsCertPath},
		{"metrics-cert-name", "File name of the certificate in --metrics-cert-path.",
			"The key in a Secret of type kubernetes.io/tls.",
			&c.MetricsCertName},
		{"metrics-cert-key", "File name of the private key in --metrics-cert-path.",
			"The key in a Secret of type kubernetes.io/tls.",
			&c.MetricsCertKey},
		{"enable-tracing", "Export OpenTelemetry traces over OTLP/gRPC. The environment variable " +
			"OTEL_EXPORTER_OTLP_ENDPOINT turns it on too.",
			"Off, because every export fails without a collector.", &c.EnableTracing},
	}
}

func (c *Config) profileFlags() []Flag {
	return []Flag{
		{"enable-pprof", "Serve the CPU profile at /debug/pprof/profile on the metrics endpoint.",
			"Off, because a profile costs time and everybody who can reach the endpoint may request one.", &c.EnablePprof},
		{"enable-pprof-debug", "Serve all pprof profiles and fgprof on the metrics endpoint. Implies --enable-pprof.",
			"Off, because heap and goroutine dumps show the contents of memory.", &c.EnablePprofDebug},
		{"pprof-block-profile-rate",
			"Nanoseconds of blocking per sample of the block profile, with --enable-pprof-debug; 0 or less disables it.",
			"One sample per millisecond of blocking shows the relevant waits at a negligible cost.", &c.PprofBlockProfileRate},
		{"pprof-mutex-profile-fraction",
			"Number of contentions per sample of the mutex profile, with --enable-pprof-debug; 0 or less disables it.",
			"One in ten costs less than the contention itself.", &c.PprofMutexProfileFraction},
	}
}
