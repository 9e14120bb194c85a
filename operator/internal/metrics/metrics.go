// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"errors"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
)

// Labels.
const (
	labelNamespace  = "namespace"
	labelTemplate   = "sandbox_template"
	labelLaunchType = "launch_type"
	labelPool       = "warmpool_name"
)

// unknown is the label value if there is none.
const unknown = "unknown"

// Metrics are all metrics of one operator. Register it as a collector. Safe for concurrent use.
type Metrics struct {
	claims    *claims
	sandboxes *sandboxes
	pools     *pools
	skew      *prometheus.GaugeVec
	all       []prometheus.Collector
}

// New returns the metrics of an operator. isLeader reports whether this process is the leader.
func New(clk clock.PassiveClock, isLeader func() bool) (*Metrics, error) {
	if clk == nil || isLeader == nil {
		return nil, errors.New("metrics: a dependency is missing")
	}
	m := &Metrics{
		claims:    newClaims(),
		sandboxes: newSandboxes(clk, isLeader),
		pools:     newPools(isLeader),
		skew: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "agent_sandbox_version_skew",
			Help: "1 if the versions of a CustomResourceDefinition and of the operator differ, otherwise 0.",
		}, []string{"crd"}),
	}
	m.all = append(m.claims.collectors(), m.sandboxes, m.sandboxes.suspend, m.sandboxes.resume, m.pools, m.skew,
		buildInfo())
	return m, nil
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, c := range m.all {
		c.Describe(out)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	for _, c := range m.all {
		c.Collect(out)
	}
}

// SetVersionSkew sets whether the CustomResourceDefinition has another version than the operator.
func (m *Metrics) SetVersionSkew(crd string, skewed bool) {
	value := 0.0
	if skewed {
		value = 1
	}
	m.skew.WithLabelValues(crd).Set(value)
}

func buildInfo() prometheus.Collector {
	info := buildinfo.Get()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "agent_sandbox_build_info",
		Help: "A constant 1 with the build of the operator as labels.",
		ConstLabels: prometheus.Labels{
			"git_version": info.Version, "git_commit": info.Commit, "build_date": info.Date,
			"go_version": info.GoVersion, "compiler": runtime.Compiler, "platform": info.Platform,
		},
	}, func() float64 { return 1 })
}

// claimBuckets are bounds in milliseconds. A warm claim takes about ten milliseconds, a cold one minutes if the image
// is large.
func claimBuckets() []float64 {
	return []float64{
		5, 10, 15, 20, 25, 30, 40, 50, 75,
		100, 250, 500, 750, 1000, 1250, 1500, 2000, 2500, 5000, 10000, 30000, 60000, 120000, 240000,
	}
}

// sandboxBuckets extend claimBuckets to ten minutes.
func sandboxBuckets() []float64 { return append(claimBuckets(), 300000, 600000) }

// launchType returns the label's value if it is one of the two launch types. Tenants can write any value on their
// Sandboxes.
func launchType(label, defaultType string) string {
	if label == apis.LaunchTypeWarm || label == apis.LaunchTypeCold {
		return label
	}
	return defaultType
}
