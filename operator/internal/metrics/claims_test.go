// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/test/gathered"
)

func claimOf(ready time.Duration, stamps map[string]time.Duration) *extensionsv1beta1.SandboxClaim {
	c := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(testNow),
		Annotations: map[string]string{}}}
	for key, at := range stamps {
		c.Annotations["agents.x-k8s.io/"+key] = testNow.Add(at).Format(time.RFC3339Nano)
	}
	first := metav1.NewMicroTime(testNow.Add(ready))
	c.Status.FirstReadyTime = &first
	return c
}

func TestAClaimIsTimedFromTheFirstWordOfIt(t *testing.T) {
	const ms = time.Millisecond
	tests := map[string]struct {
		stamps                      map[string]time.Duration
		startup, controller, launch float64 // milliseconds; controller 0: not observed
	}{
		"without a note, from its creation": {nil, 900, 0, 900},
		"the client's note is before that":  {map[string]time.Duration{"client-first-requested-at": -100 * ms}, 1000, 0, 900},
		"a webhook's note is the first word": {
			map[string]time.Duration{"webhook-first-observed-at": 100 * ms, "client-first-requested-at": -100 * ms}, 800, 0, 900,
		},
		"the operator's own note times the operator, and the Sandbox that it then makes": {
			map[string]time.Duration{"controller-first-observed-at": 850 * ms}, 900, 50, 50,
		},
		"a note from the future is a wrong clock": {map[string]time.Duration{"client-first-requested-at": time.Hour}, 900, 0,
			900},
		"a note from long ago is made up": {map[string]time.Duration{"client-first-requested-at": -time.Hour}, 900, 0,
			900},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m, _ := newMetrics(t)
			s := sandboxOf("a", labelled("agents.x-k8s.io/launch-type", "cold"),
				annotated("agents.x-k8s.io/sandbox-template-ref", "python"))
			m.FirstReady(claimOf(900*ms, tt.stamps), s, time.Time{})
			labels := map[string]string{"launch_type": "cold", "sandbox_template": "python"}
			for metric, want := range map[string]float64{
				"agent_sandbox_claim_startup_latency_ms":            tt.startup,
				"agent_sandbox_claim_controller_startup_latency_ms": tt.controller,
				"agent_sandbox_creation_latency_ms":                 tt.launch,
			} {
				count, sum := gathered.Of(t, m, metric, labels)
				if sum != want || (count != 1) != (want == 0) {
					t.Errorf("%s: %d times, %v ms, want %v", metric, count, sum, want)
				}
			}
		})
	}
}

func TestANoteThatIsNoTimeIsIgnored(t *testing.T) {
	m, _ := newMetrics(t)
	c := claimOf(900*time.Millisecond, nil)
	c.Annotations["agents.x-k8s.io/webhook-first-observed-at"] = "yesterday"
	m.FirstReady(c, sandboxOf("a"), time.Time{})
	if count, sum := gathered.Of(t, m, "agent_sandbox_claim_startup_latency_ms",
		map[string]string{"launch_type": "unknown"}); count != 1 || sum != 900 {
		t.Errorf("%d times, %v ms", count, sum)
	}
}

func TestAWarmSandboxTookAsLongAsItTookTheLastTime(t *testing.T) {
	m, _ := newMetrics(t)
	s := sandboxOf("a", labelled("agents.x-k8s.io/launch-type", "warm"), condition("Ready", "True", "x"))
	m.FirstReady(claimOf(time.Hour, nil), s, time.Time{})
	if _, sum := gathered.Of(t, m, "agent_sandbox_creation_latency_ms",
		map[string]string{"launch_type": "warm"}); sum != 2000 {
		t.Errorf("%v ms", sum)
	}
}

func TestClaimsAreCountedByWhereTheirSandboxCameFrom(t *testing.T) {
	m, _ := newMetrics(t)
	python := annotated("agents.x-k8s.io/sandbox-template-ref", "python")
	m.Claimed(sandboxOf("a", python, condition("Ready", "True", "x")), "pool")
	m.Claimed(sandboxOf("b", python), "pool")
	m.Claimed(sandboxOf("c", python), NoPool)
	m.Adoption("default", Adopted)
	want := `
# HELP agent_sandbox_claim_adoption_total Attempts to adopt a warm Sandbox, by outcome.
# TYPE agent_sandbox_claim_adoption_total counter
agent_sandbox_claim_adoption_total{namespace="default",outcome="adopted"} 1
# HELP agent_sandbox_claim_creation_total SandboxClaims that got a Sandbox: from a pool (warm) or created for them (cold).
# TYPE agent_sandbox_claim_creation_total counter
agent_sandbox_claim_creation_total{launch_type="cold",namespace="default",pod_condition="not_ready",sandbox_template="python",warmpool_name="none"} 1
agent_sandbox_claim_creation_total{launch_type="warm",namespace="default",pod_condition="not_ready",sandbox_template="python",warmpool_name="pool"} 1
agent_sandbox_claim_creation_total{launch_type="warm",namespace="default",pod_condition="ready",sandbox_template="python",warmpool_name="pool"} 1
# HELP agent_sandbox_warm_pool_claimed_total Sandboxes that claims adopted from a pool.
# TYPE agent_sandbox_warm_pool_claimed_total counter
agent_sandbox_warm_pool_claimed_total{namespace="default",warmpool_name="pool"} 2
`
	err := testutil.CollectAndCompare(m, strings.NewReader(want),
		"agent_sandbox_claim_adoption_total", "agent_sandbox_claim_creation_total", "agent_sandbox_warm_pool_claimed_total")
	if err != nil {
		t.Error(err)
	}
}

func TestSeriesGoWithWhatTheyName(t *testing.T) {
	m, _ := newMetrics(t)
	known := &templates{claims: m.claims, names: map[string]int{}, namespaces: map[string]int{},
		all: map[types.NamespacedName]bool{}}
	here := types.NamespacedName{Namespace: "default", Name: "python"}
	there := types.NamespacedName{Namespace: "elsewhere", Name: "python"}
	known.add(here)
	known.add(here)
	known.add(there)
	s := sandboxOf("a", annotated("agents.x-k8s.io/sandbox-template-ref", "python"))
	m.Claimed(s, "pool")
	m.Claimed(s, NoPool)
	m.Adoption("default", Adopted)
	m.FirstReady(claimOf(time.Second, nil), s, time.Time{})
	left := func(names ...string) int { return testutil.CollectAndCount(m, names...) }

	m.claims.deletePool("default", "pool")
	if n := left("agent_sandbox_claim_creation_total", "agent_sandbox_warm_pool_claimed_total"); n != 1 {
		t.Errorf("without the pool %d series", n)
	}
	known.remove(here)
	if n := left("agent_sandbox_claim_creation_total", "agent_sandbox_creation_latency_ms",
		"agent_sandbox_claim_adoption_total"); n != 0 {
		t.Errorf("without the template %d series of its namespace", n)
	}
	if n := left("agent_sandbox_claim_startup_latency_ms"); n != 1 {
		t.Errorf("another template has the name, and %d series", n)
	}
	known.remove(there)
	known.remove(there)
	if n := left("agent_sandbox_claim_startup_latency_ms"); n != 0 ||
		len(known.all)+len(known.names)+len(known.namespaces) != 0 {
		t.Errorf("without templates %d series, %+v", n, known)
	}
}

func TestPoolsShowTheirSize(t *testing.T) {
	m, _ := newMetrics(t)
	pool := &extensionsv1beta1.SandboxWarmPool{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool"}}
	m.pools.update(pool)
	five := int32(5)
	pool.Spec.Replicas, pool.Status.Replicas, pool.Status.ReadyReplicas = &five, 4, 3
	m.pools.update(pool)
	want := `
# HELP agent_sandbox_warm_pool_desired_replicas Sandboxes that a SandboxWarmPool should hold.
# TYPE agent_sandbox_warm_pool_desired_replicas gauge
agent_sandbox_warm_pool_desired_replicas{namespace="default",warmpool_name="pool"} 5
# HELP agent_sandbox_warm_pool_ready_replicas Sandboxes of a SandboxWarmPool that are Ready to be claimed.
# TYPE agent_sandbox_warm_pool_ready_replicas gauge
agent_sandbox_warm_pool_ready_replicas{namespace="default",warmpool_name="pool"} 3
# HELP agent_sandbox_warm_pool_replicas Sandboxes that a SandboxWarmPool holds.
# TYPE agent_sandbox_warm_pool_replicas gauge
agent_sandbox_warm_pool_replicas{namespace="default",warmpool_name="pool"} 4
`
	names := []string{"agent_sandbox_warm_pool_desired_replicas", "agent_sandbox_warm_pool_ready_replicas",
		"agent_sandbox_warm_pool_replicas"}
	if err := testutil.CollectAndCompare(m, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
	m.pools.remove(types.NamespacedName{Namespace: "default", Name: "pool"})
	if n := testutil.CollectAndCount(m, names...); n != 0 {
		t.Errorf("%d series of a pool that is gone", n)
	}
}

func TestAPoolShowsWhatBlocksIt(t *testing.T) {
	m, _ := newMetrics(t)
	pool := &extensionsv1beta1.SandboxWarmPool{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool"}}
	pool.Spec.TemplateRef.Name = "python"
	const name = "agent_sandbox_warm_pool_blocked_replicas"
	m.Blocked(pool, map[podreason.Cause]int{podreason.ImagePull: 2, podreason.Unschedulable: 1})
	want := `
# HELP agent_sandbox_warm_pool_blocked_replicas Sandboxes of a SandboxWarmPool that cannot become Ready or cannot be created, by cause.
# TYPE agent_sandbox_warm_pool_blocked_replicas gauge
agent_sandbox_warm_pool_blocked_replicas{cause="ImagePull",namespace="default",sandbox_template="python",warmpool_name="pool"} 2
agent_sandbox_warm_pool_blocked_replicas{cause="Unschedulable",namespace="default",sandbox_template="python",warmpool_name="pool"} 1
`
	if err := testutil.CollectAndCompare(m, strings.NewReader(want), name); err != nil {
		t.Error(err)
	}
	m.Blocked(pool, nil)
	if n := testutil.CollectAndCount(m, name); n != 0 {
		t.Errorf("%d series of a pool that is well again", n)
	}
	m.Blocked(pool, map[podreason.Cause]int{podreason.TemplateNotFound: 3})
	m.pools.remove(types.NamespacedName{Namespace: "default", Name: "pool"})
	if n := testutil.CollectAndCount(m, name); n != 0 {
		t.Errorf("%d series of a pool that is gone", n)
	}
}

func TestTheBuildIsAConstantOne(t *testing.T) {
	m, _ := newMetrics(t)
	if n := testutil.CollectAndCount(m, "agent_sandbox_build_info"); n != 1 {
		t.Errorf("%d series", n)
	}
}
