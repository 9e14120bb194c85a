// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// NoPool is the pool of a Sandbox that was started for its claim.
const NoPool = "none"

// Adoption is what became of an attempt to take a warm Sandbox.
type Adoption string

// All outcomes of an attempt.
const (
	Adopted       Adoption = "adopted"
	NoneAvailable Adoption = "none_available" // the pools had none to give: the claim starts cold
	Lost          Adoption = "lost"           // somebody else got it, or it went
	Conflict      Adoption = "conflict"       // the claim or the Sandbox changed meanwhile
	Refused       Adoption = "refused"        // the claim asks for what it cannot have
	Failed        Adoption = "failed"         // the API server gave no answer, or none that helps
)

type claims struct {
	startup, controllerStartup *prometheus.HistogramVec
	sandbox                    *prometheus.HistogramVec
	created                    *prometheus.CounterVec
	adoptions                  *prometheus.CounterVec
	claimed                    *prometheus.CounterVec
}

func newClaims() *claims {
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	return &claims{
		startup: histogram("agent_sandbox_claim_startup_latency_ms",
			"Milliseconds from the request for a SandboxClaim to its first Ready.", claimBuckets(), labelLaunchType, labelTemplate),
		controllerStartup: histogram("agent_sandbox_claim_controller_startup_latency_ms",
			"Milliseconds from the operator's first sight of a SandboxClaim to its first Ready.", claimBuckets(),
			labelLaunchType, labelTemplate),
		sandbox: histogram("agent_sandbox_creation_latency_ms",
			"Milliseconds from the creation of a claim's Sandbox to its Pod being Ready. For a warm one, which was Ready before the "+
				"claim came, whole seconds.", sandboxBuckets(), labelNamespace, labelLaunchType, labelTemplate),
		created: counter("agent_sandbox_claim_creation_total",
			"SandboxClaims that got a Sandbox: from a pool (warm) or started for them (cold).",
			labelNamespace, labelTemplate, labelLaunchType, labelPool, "pod_condition"),
		adoptions: counter("agent_sandbox_claim_adoption_total",
			"Attempts to take a warm Sandbox, by what became of them.", labelNamespace, "outcome"),
		claimed: counter("agent_sandbox_warm_pool_claimed_total",
			"Sandboxes that claims took from a pool.", labelNamespace, labelPool),
	}
}

func (c *claims) collectors() []prometheus.Collector {
	return []prometheus.Collector{c.startup, c.controllerStartup, c.sandbox, c.created, c.adoptions, c.claimed}
}

// Adoption counts an attempt to take a warm Sandbox.
func (m *Metrics) Adoption(namespace string, outcome Adoption) {
	m.claims.adoptions.WithLabelValues(namespace, string(outcome)).Inc()
}

// Claimed counts a claim that got a Sandbox, from the pool of that name or NoPool.
func (m *Metrics) Claimed(sandbox *agentsv1beta1.Sandbox, pool string) {
	launch, condition := apis.LaunchTypeCold, "not_ready"
	if pool != NoPool {
		launch = apis.LaunchTypeWarm
		m.claims.claimed.WithLabelValues(sandbox.Namespace, pool).Inc()
	}
	if apis.ConditionTrue(sandbox.Status.Conditions, apis.ConditionReady) {
		condition = "ready"
	}
	m.claims.created.WithLabelValues(sandbox.Namespace, templateOf(sandbox), launch, pool, condition).Inc()
}

// FirstReady times a claim that was never Ready before. Call it once the API server has status.firstReadyTime.
func (m *Metrics) FirstReady(claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox) {
	if claim.Status.FirstReadyTime == nil || sandbox == nil {
		return
	}
	ready := claim.Status.FirstReadyTime.Time
	launch, template := launchType(sandbox.Labels[apis.LabelLaunchType], unknown), templateOf(sandbox)
	m.claims.startup.WithLabelValues(launch, template).Observe(milliseconds(ready.Sub(requestTime(claim, ready))))
	seen, known := annotatedTime(claim, apis.AnnotationControllerFirstObservedAt, ready)
	if known {
		m.claims.controllerStartup.WithLabelValues(launch, template).Observe(milliseconds(ready.Sub(seen)))
	}
	from := sandbox.CreationTimestamp.Time
	if launch == apis.LaunchTypeWarm {
		if condition := apis.FindCondition(sandbox.Status.Conditions, apis.ConditionReady); condition != nil {
			ready = condition.LastTransitionTime.Time
		}
	} else if known && seen.After(from) {
		from = seen // a creation timestamp has whole seconds, and the Sandbox was made after the claim was seen
	}
	m.claims.sandbox.WithLabelValues(sandbox.Namespace, launch, template).Observe(milliseconds(ready.Sub(from)))
}

// requestTime is when somebody asked for the claim: what admission noted, else what the client did, else its creation.
func requestTime(claim *extensionsv1beta1.SandboxClaim, ready time.Time) time.Time {
	for _, key := range [...]string{apis.AnnotationWebhookFirstObservedAt, apis.AnnotationClientFirstRequestedAt} {
		if at, ok := annotatedTime(claim, key, ready); ok {
			return at
		}
	}
	return claim.CreationTimestamp.Time
}

// maxClockSkew is how far a client's clock, or the patience of its retries, may be from the API server's.
const maxClockSkew = 5 * time.Minute

// annotatedTime reads a time that somebody noted on the claim. Clients write some of them, so one that cannot be is ignored: later than
// the answer, or long before the claim.
func annotatedTime(claim *extensionsv1beta1.SandboxClaim, key string, ready time.Time) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339Nano, claim.Annotations[key])
	if err != nil || at.After(ready) || at.Before(claim.CreationTimestamp.Add(-maxClockSkew)) {
		return time.Time{}, false
	}
	return at, true
}

func templateOf(sandbox *agentsv1beta1.Sandbox) string {
	return cmp.Or(sandbox.Annotations[apis.AnnotationTemplateRef], unknown)
}

// milliseconds are never negative: clocks differ, and whole seconds are cut off.
func milliseconds(d time.Duration) float64 { return max(0, float64(d)/float64(time.Millisecond)) }

// deleteTemplate drops the series of a template that is gone. Those without a namespace go with the last template of the name.
func (c *claims) deleteTemplate(namespace, name string, last bool) {
	here := prometheus.Labels{labelNamespace: namespace, labelTemplate: name}
	c.created.DeletePartialMatch(here)
	c.sandbox.DeletePartialMatch(here)
	if last {
		everywhere := prometheus.Labels{labelTemplate: name}
		c.startup.DeletePartialMatch(everywhere)
		c.controllerStartup.DeletePartialMatch(everywhere)
	}
}

// deletePool drops the series of a pool that is gone.
func (c *claims) deletePool(namespace, name string) {
	here := prometheus.Labels{labelNamespace: namespace, labelPool: name}
	c.created.DeletePartialMatch(here)
	c.claimed.DeletePartialMatch(here)
}

// deleteNamespace drops the series of a namespace without templates.
func (c *claims) deleteNamespace(namespace string) {
	here := prometheus.Labels{labelNamespace: namespace}
	c.adoptions.DeletePartialMatch(here)
	c.created.DeletePartialMatch(here)
	c.sandbox.DeletePartialMatch(here)
}
