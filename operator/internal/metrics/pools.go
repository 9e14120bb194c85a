// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
)

// pools exports the size of each pool, as the watch shows it, and what blocks its members.
type pools struct {
	isLeader             func() bool
	desired, size, ready *prometheus.Desc
	blocked              *prometheus.Desc

	mu        sync.Mutex
	sizes     map[types.NamespacedName]poolSize
	blockedBy map[types.NamespacedName]blockedReplicas
}

// blockedReplicas are the numbers of a pool's Sandboxes that are not Ready, by cause.
type blockedReplicas struct {
	template string
	causes   map[podreason.Cause]int
}

type poolSize struct{ desired, size, ready int32 }

func newPools(isLeader func() bool) *pools {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("agent_sandbox_warm_pool_"+name, help, []string{labelNamespace, labelPool}, nil)
	}
	return &pools{
		isLeader: isLeader,
		desired:  desc("desired_replicas", "Sandboxes that a SandboxWarmPool should hold."),
		size:     desc("replicas", "Sandboxes that a SandboxWarmPool holds."),
		ready:    desc("ready_replicas", "Sandboxes of a SandboxWarmPool that are Ready to be claimed."),
		blocked: prometheus.NewDesc("agent_sandbox_warm_pool_blocked_replicas",
			"Sandboxes of a SandboxWarmPool that cannot become Ready or cannot be created, by cause.",
			[]string{labelNamespace, labelPool, labelTemplate, "cause"}, nil),
		sizes:     map[types.NamespacedName]poolSize{},
		blockedBy: map[types.NamespacedName]blockedReplicas{},
	}
}

// Describe implements prometheus.Collector.
func (p *pools) Describe(out chan<- *prometheus.Desc) {
	out <- p.desired
	out <- p.size
	out <- p.ready
	out <- p.blocked
}

// Collect implements prometheus.Collector.
func (p *pools) Collect(out chan<- prometheus.Metric) {
	if !p.isLeader() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, pool := range p.sizes {
		gauge := func(desc *prometheus.Desc, value int32) {
			out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value), name.Namespace, name.Name)
		}
		gauge(p.desired, pool.desired)
		gauge(p.size, pool.size)
		gauge(p.ready, pool.ready)
	}
	for name, t := range p.blockedBy {
		for cause, count := range t.causes {
			out <- prometheus.MustNewConstMetric(p.blocked, prometheus.GaugeValue, float64(count), name.Namespace, name.Name,
				t.template, string(cause))
		}
	}
}

// Blocked sets the numbers of the pool's Sandboxes that are not Ready or cannot be created, by cause. Causes without
// Sandboxes are absent from the map.
func (m *Metrics) Blocked(pool *extensionsv1beta1.SandboxWarmPool, causes map[podreason.Cause]int) {
	name := types.NamespacedName{Namespace: pool.Namespace, Name: pool.Name}
	p := m.pools
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(causes) == 0 {
		delete(p.blockedBy, name)
		return
	}
	p.blockedBy[name] = blockedReplicas{template: pool.Spec.TemplateRef.Name, causes: causes}
}

func (p *pools) update(pool *extensionsv1beta1.SandboxWarmPool) {
	size := poolSize{desired: 1, size: pool.Status.Replicas, ready: pool.Status.ReadyReplicas}
	if pool.Spec.Replicas != nil {
		size.desired = *pool.Spec.Replicas
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sizes[types.NamespacedName{Namespace: pool.Namespace, Name: pool.Name}] = size
}

func (p *pools) remove(name types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sizes, name)
	delete(p.blockedBy, name)
}
