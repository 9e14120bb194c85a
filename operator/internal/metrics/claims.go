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

// NoPool is the value of the pool label for a Sandbox that was created for its claim.
const NoPool = "none"

// Adoption is the outcome of an attempt to adopt a warm Sandbox.
type Adoption string

// The outcomes of an attempt.
const (
	Adopted       Adoption = "adopted"
	NoneAvailable Adoption = "none_available" // no pool had one: the claim starts cold
	Lost          Adoption = "lost"           // another claim adopted it, or it was deleted
	Conflict      Adoption = "conflict"       // the claim or the Sandbox changed in between
	Refused       Adoption = "refused"        // the claim requests something that is not permitted
	Failed        Adoption = "failed"         // a request to the API server failed
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
			"Milliseconds from the request for a SandboxClaim to its first Ready.", claimBuckets(), labelLaunchType,
			labelTemplate),
		controllerStartup: histogram("agent_sandbox_claim_controller_startup_latency_ms",
			"Milliseconds from the operator's first observation of a SandboxClaim to its first Ready.", claimBuckets(),
			labelLaunchType, labelTemplate),
		sandbox: histogram("agent_sandbox_creation_latency_ms",
			"Milliseconds from the creation of a claim's Sandbox to its Pod being Ready. A warm Sandbox is Ready before the "+
				"claim exists, and has a resolution of seconds.", sandboxBuckets(), labelNamespace, labelLaunchType, labelTemplate),
		created: counter("agent_sandbox_claim_creation_total",
			"SandboxClaims that got a Sandbox: from a pool (warm) or created for them (cold).",
			labelNamespace, labelTemplate, labelLaunchType, labelPool, "pod_condition"),
		adoptions: counter("agent_sandbox_claim_adoption_total",
			"Attempts to adopt a warm Sandbox, by outcome.", labelNamespace, "outcome"),
		claimed: counter("agent_sandbox_warm_pool_claimed_total",
			"Sandboxes that claims adopted from a pool.", labelNamespace, labelPool),
	}
}

func (c *claims) collectors() []prometheus.Collector {
	return []prometheus.Collector{c.startup, c.controllerStartup, c.sandbox, c.created, c.adoptions, c.claimed}
}

// Adoption counts an attempt to adopt a warm Sandbox.
func (m *Metrics) Adoption(namespace string, outcome Adoption) {
	m.claims.adoptions.WithLabelValues(namespace, string(outcome)).Inc()
}

// Claimed counts a claim that got a Sandbox. pool is the name of the pool, or NoPool.
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

// FirstReady observes the latencies of a claim. Call it once, after status.firstReadyTime was written. firstObserved is
// when the operator first observed the claim; zero if the claim's annotation says it.
func (m *Metrics) FirstReady(
	claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox, firstObserved time.Time,
) {
	if claim.Status.FirstReadyTime == nil || sandbox == nil {
		return
	}
	ready := claim.Status.FirstReadyTime.Time
	launch, template := launchType(sandbox.Labels[apis.LabelLaunchType], unknown), templateOf(sandbox)
	m.claims.startup.WithLabelValues(launch, template).Observe(milliseconds(ready.Sub(requestTime(claim, ready))))
	observedAt, known := firstObserved, !firstObserved.IsZero()
	if !known {
		observedAt, known = annotatedTime(claim, apis.AnnotationControllerFirstObservedAt, ready)
	}
	if known {
		m.claims.controllerStartup.WithLabelValues(launch, template).Observe(milliseconds(ready.Sub(observedAt)))
	}
	from := sandbox.CreationTimestamp.Time
	if launch == apis.LaunchTypeWarm {
		if condition := apis.FindCondition(sandbox.Status.Conditions, apis.ConditionReady); condition != nil {
			ready = condition.LastTransitionTime.Time
		}
	} else if known && observedAt.After(from) {
		from = observedAt // more precise: creation timestamps are truncated to seconds
	}
	m.claims.sandbox.WithLabelValues(sandbox.Namespace, launch, template).Observe(milliseconds(ready.Sub(from)))
}

// requestTime returns when the claim was requested: the time annotated by a webhook, else by the client, else the
// creation time.
func requestTime(claim *extensionsv1beta1.SandboxClaim, ready time.Time) time.Time {
	for _, key := range [...]string{apis.AnnotationWebhookFirstObservedAt, apis.AnnotationClientFirstRequestedAt} {
		if at, ok := annotatedTime(claim, key, ready); ok {
			return at
		}
	}
	return claim.CreationTimestamp.Time
}

// maxClockSkew is the longest accepted time between an annotated request and the creation of the claim. Clocks differ,
// and clients retry.
const maxClockSkew = 5 * time.Minute

// annotatedTime reads a time from an annotation of the claim. Clients can write any value, so it ignores times after
// ready and times long before the claim's creation.
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

// milliseconds returns zero for negative durations, which different clocks and truncated seconds cause.
func milliseconds(d time.Duration) float64 { return max(0, float64(d)/float64(time.Millisecond)) }

// deleteTemplate deletes the series of a deleted template. last says that no namespace has a template of this name:
// then the series without a namespace label are deleted too.
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

// deletePool deletes the series of a deleted pool.
func (c *claims) deletePool(namespace, name string) {
	here := prometheus.Labels{labelNamespace: namespace, labelPool: name}
	c.created.DeletePartialMatch(here)
	c.claimed.DeletePartialMatch(here)
}

// deleteNamespace deletes the series of a namespace that has no templates.
func (c *claims) deleteNamespace(namespace string) {
	here := prometheus.Labels{labelNamespace: namespace}
	c.adoptions.DeletePartialMatch(here)
	c.created.DeletePartialMatch(here)
	c.sandbox.DeletePartialMatch(here)
}
