// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// pools tells the size of each pool as the watch shows it.
type pools struct {
	leads                func() bool
	desired, size, ready *prometheus.Desc

	mu    sync.Mutex
	known map[types.NamespacedName]poolSize
}

type poolSize struct{ desired, size, ready int32 }

func newPools(leads func() bool) *pools {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("agent_sandbox_warm_pool_"+name, help, []string{labelNamespace, labelPool}, nil)
	}
	return &pools{
		leads:   leads,
		desired: desc("desired_replicas", "Sandboxes that a SandboxWarmPool should hold."),
		size:    desc("replicas", "Sandboxes that a SandboxWarmPool holds."),
		ready:   desc("ready_replicas", "Sandboxes of a SandboxWarmPool that are Ready to be claimed."),
		known:   map[types.NamespacedName]poolSize{},
	}
}

// Describe implements prometheus.Collector.
func (p *pools) Describe(out chan<- *prometheus.Desc) {
	out <- p.desired
	out <- p.size
	out <- p.ready
}

// Collect implements prometheus.Collector.
func (p *pools) Collect(out chan<- prometheus.Metric) {
	if !p.leads() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, pool := range p.known {
		gauge := func(desc *prometheus.Desc, value int32) {
			out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value), name.Namespace, name.Name)
		}
		gauge(p.desired, pool.desired)
		gauge(p.size, pool.size)
		gauge(p.ready, pool.ready)
	}
}

func (p *pools) show(pool *extensionsv1beta1.SandboxWarmPool) {
	is := poolSize{desired: 1, size: pool.Status.Replicas, ready: pool.Status.ReadyReplicas}
	if pool.Spec.Replicas != nil {
		is.desired = *pool.Spec.Replicas
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[types.NamespacedName{Namespace: pool.Namespace, Name: pool.Name}] = is
}

func (p *pools) remove(name types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, name)
}
