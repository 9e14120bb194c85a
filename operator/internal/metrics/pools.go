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

// pools tells the size of each pool as the watch shows it.
type pools struct {
	isLeader             func() bool
	desired, size, ready *prometheus.Desc
	blocked              *prometheus.Desc

	mu        sync.Mutex
	sizes     map[types.NamespacedName]poolSize
	blockedBy map[types.NamespacedName]blockedReplicas
}

// blockedReplicas is how many Sandboxes of a pool each cause keeps from being Ready.
type blockedReplicas struct {
	template string
	causes   map[podreason.Cause]int
}

type poolSize struct{ desired, size, ready int32 }

func newPools(leads func() bool) *pools {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("agent_sandbox_warm_pool_"+name, help, []string{labelNamespace, labelPool}, nil)
	}
	return &pools{
		isLeader: leads,
		desired:  desc("desired_replicas", "Sandboxes that a SandboxWarmPool should hold."),
		size:     desc("replicas", "Sandboxes that a SandboxWarmPool holds."),
		ready:    desc("ready_replicas", "Sandboxes of a SandboxWarmPool that are Ready to be claimed."),
		blocked: prometheus.NewDesc("agent_sandbox_warm_pool_blocked_replicas",
			"Sandboxes of a SandboxWarmPool that cannot become Ready or cannot be made, by what is in the way.",
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
			out <- prometheus.MustNewConstMetric(p.blocked, prometheus.GaugeValue, float64(count), name.Namespace, name.Name, t.template, string(cause))
		}
	}
}

// Blocked says how many Sandboxes of the pool each cause keeps from being Ready, or from being made. Causes without any are left
// out.
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
	is := poolSize{desired: 1, size: pool.Status.Replicas, ready: pool.Status.ReadyReplicas}
	if pool.Spec.Replicas != nil {
		is.desired = *pool.Spec.Replicas
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sizes[types.NamespacedName{Namespace: pool.Namespace, Name: pool.Name}] = is
}

func (p *pools) remove(name types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sizes, name)
	delete(p.blockedBy, name)
}
