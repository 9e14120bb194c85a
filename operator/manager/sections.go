// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

// Sections are all flags but zap's and --version. docs/reference/operator-flags.md is made of them.
func (c *Config) Sections() []Section {
	return []Section{
		{"What it serves", c.servingFlags()},
		{"The API server", c.clientFlags()},
		{"Workers", c.workerFlags()},
		{"Warm pools", c.poolFlags()},
		{"Leader election and probes", c.leaderFlags()},
		{"Metrics and traces", c.metricsFlags()},
		{"Profiles", c.profileFlags()},
	}
}

func (c *Config) servingFlags() []Flag {
	return []Flag{
		{"extensions", "Serve SandboxClaims, SandboxTemplates and SandboxWarmPools too.",
			"Off, so that a cluster with nothing but the Sandbox definition works. The install manifests turn it on.", &c.Extensions},
		{"watch-namespaces", "Namespaces to work in; may be given several times, or with commas. Default: all.",
			"All: one operator serves a cluster. With namespaces listed, Roles in them are enough and no ClusterRole is needed; the rest " +
				"of the cluster is neither seen nor touched.", &c.WatchNamespaces},
		{"router-namespace", "Namespace whose sandbox-router the default NetworkPolicy lets in; may be given several times, or with commas. " +
			"Default: the operator's own.",
			"The router is installed beside the operator unless somebody moves it. A wider default would open every Sandbox to it.",
			&c.RouterNamespaces},
		{"cluster-domain", "DNS suffix of the cluster's Services.",
			"What nearly every cluster uses. It only goes into status.serviceFQDN.", &c.ClusterDomain},
	}
}

func (c *Config) clientFlags() []Flag {
	return []Flag{
		{"kube-api-qps", "Requests a second to the API server; -1 leaves the limit to the server.",
			"The API server's priority and fairness knows its load; a limit here only adds a queue that nobody sees.", &c.KubeAPIQPS},
		{"kube-api-burst", "Requests at once above --kube-api-qps.",
			"Has no effect while --kube-api-qps is -1.", &c.KubeAPIBurst},
		{"separate-watch-connection", "Watches get a connection of their own.",
			"Requests and watches would share one HTTP/2 connection, and a burst of events would hold up the answers to writes.",
			&c.SeparateWatchConnection},
	}
}

func (c *Config) workerFlags() []Flag {
	return []Flag{
		{"sandbox-concurrent-workers", "Sandboxes reconciled at the same time.",
			"A pass mostly waits for the API server. With one worker, as other implementations have it, one slow answer holds up every " +
				"Sandbox; ten keep a burst moving, and idle workers cost nothing.", &c.SandboxConcurrentWorkers},
		{"sandbox-claim-concurrent-workers", "SandboxClaims reconciled at the same time. Needs --extensions.",
			"A claim takes three writes one after the other: ten workers hand out some hundred warm Sandboxes a second.",
			&c.SandboxClaimConcurrentWorkers},
		{"sandbox-warm-pool-concurrent-workers", "SandboxWarmPools reconciled at the same time. Needs --extensions.",
			"There are few pools, and each writes up to sixteen Sandboxes at once by itself: more workers would starve claims.",
			&c.SandboxWarmPoolConcurrentWorkers},
		{"sandbox-template-concurrent-workers", "SandboxTemplates reconciled at the same time. Needs --extensions.",
			"Templates change seldom, and a pass is one write at most.", &c.SandboxTemplateConcurrentWorkers},
	}
}

func (c *Config) poolFlags() []Flag {
	return []Flag{
		{poolFlags + "max-batch-size", "Sandboxes that a pool creates, and deletes, at most in one pass.",
			"A pool of 300 is filled in one pass; a mistaken size of a million takes many, with time to correct it between them.",
			&c.Pools.MaxBatch},
		{poolFlags + "readiness-grace-period", "How long a pool's Sandbox may be not Ready, once it has a node, before it is replaced.",
			"Longer than the pull of a large image, shorter than the patience of people.", &c.Pools.ReadinessGracePeriod},
		{poolFlags + "unschedulable-recheck", "How often a pool looks at its Sandboxes that no node takes. They are held: others would fare " +
			"no better.",
			"Nodes take minutes to come; the scheduler tries again by itself.", &c.Pools.UnschedulableRecheck},
		{poolFlags + "refill-delay", "How long no claim must have taken a Sandbox from a pool before it is refilled: claims go first. Claims " +
			"that keep coming put it off, up to ten times as long, or until no ready one is left; from then on it goes two at a time beside them.",
			"Long enough that a burst of claims is served before the refill competes with it, short enough that nobody notices it.",
			&c.Pools.RefillDelay},
		{poolFlags + "refill-rate", "Sandboxes a second that a pool creates at most; 0 is no limit.",
			"The API server and the scheduler pace creations already. Set it where image pulls or nodes cannot keep up.",
			&c.Pools.RefillRate},
	}
}

func (c *Config) leaderFlags() []Flag {
	return []Flag{
		{"leader-elect", "Let one replica act at a time.",
			"Two replicas that act would both be right, and both write. With one replica it costs one small request a second.",
			&c.LeaderElect},
		{"leader-election-namespace", "Namespace of the leader's Lease; empty means the operator's own.",
			"The operator's own is the only one where it may surely write Leases.", &c.LeaderElectionNamespace},
		{"health-probe-bind-address", "Address of /healthz and /readyz.",
			"The port that the manifests' probes ask.", &c.HealthProbeBindAddress},
	}
}

func (c *Config) metricsFlags() []Flag {
	return []Flag{
		{"metrics-bind-address", "Address of the metrics endpoint; 0 turns it off.",
			"The port that the manifests' Service and most scrape configurations name.", &c.MetricsBindAddress},
		{"metrics-secure", "Serve the metrics over TLS, to those whom the API server lets get the path /metrics.",
			"Off, as scrape configurations for plain HTTP exist. On, the operator needs to create TokenReviews and SubjectAccessReviews.",
			&c.MetricsSecure},
		{"metrics-cert-path", "Directory with the certificate of the secure metrics endpoint; empty means one signed by itself.",
			"A certificate that is renewed needs somebody who renews it; without one the connection is encrypted all the same.",
			&c.MetricsCertPath},
		{"metrics-cert-name", "File of the certificate in --metrics-cert-path.", "The key in a Secret of type kubernetes.io/tls.",
			&c.MetricsCertName},
		{"metrics-cert-key", "File of the private key in --metrics-cert-path.", "The key in a Secret of type kubernetes.io/tls.",
			&c.MetricsCertKey},
		{"enable-tracing", "Send OpenTelemetry traces over OTLP/gRPC, to where OTEL_EXPORTER_OTLP_ENDPOINT says.",
			"Off: without a collector every export would fail.", &c.EnableTracing},
	}
}

func (c *Config) profileFlags() []Flag {
	return []Flag{
		{"enable-pprof", "Serve the CPU profile on the metrics endpoint, under /debug/pprof/profile.",
			"Off: a profile costs time, and whoever reaches the endpoint may ask for one.", &c.EnablePprof},
		{"enable-pprof-debug", "Serve all of pprof, and fgprof, on the metrics endpoint. Implies --enable-pprof.",
			"Off: heap and goroutine dumps show what is in memory.", &c.EnablePprofDebug},
		{"pprof-block-profile-rate", "Nanoseconds of blocking for one sample of the block profile, with --enable-pprof-debug; 0 or less is off.",
			"One sample for each millisecond blocked: waits that matter, at a cost that nobody measures.", &c.PprofBlockProfileRate},
		{"pprof-mutex-profile-fraction", "One of so many contentions is a sample of the mutex profile, with --enable-pprof-debug; 0 or less is off.",
			"One of ten keeps the cost below what contention itself costs.", &c.PprofMutexProfileFraction},
	}
}
