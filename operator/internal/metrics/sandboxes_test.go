// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/gathered"
)

var testNow = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newMetrics(t testing.TB) (*Metrics, *clocktesting.FakePassiveClock) {
	t.Helper()
	clk := clocktesting.NewFakePassiveClock(testNow)
	m, err := New(clk, func() bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return m, clk
}

func sandboxOf(name string, change ...func(*agentsv1beta1.Sandbox)) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, UID: types.UID(name), Generation: 1, CreationTimestamp: metav1.NewTime(testNow),
	}}
	for _, do := range change {
		do(s)
	}
	return s
}

func condition(kind, status, reason string) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) {
		s.Status.Conditions = append(s.Status.Conditions, metav1.Condition{
			Type: kind, Status: metav1.ConditionStatus(status), Reason: reason, ObservedGeneration: s.Generation,
			LastTransitionTime: metav1.NewTime(testNow.Add(2 * time.Second)),
		})
	}
}

func labelled(key, value string) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) { s.Labels = map[string]string{key: value} }
}

func annotated(key, value string) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) { s.Annotations = map[string]string{key: value} }
}

func owned(apiVersion, kind string) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) {
		yes := true
		s.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "x", UID: "x",
			Controller: &yes}}
	}
}

func TestEachSandboxIsCountedUnderWhatItIs(t *testing.T) {
	const extensions = "extensions.agents.x-k8s.io/v1beta1"
	ready := condition("Ready", "True", "DependenciesReady")
	tests := map[string]struct {
		sandboxes []*agentsv1beta1.Sandbox
		want      []string // namespace ready expired launch template owner count
	}{
		"one of a user's own is cold, and of no template": {list(sandboxOf("a", ready)),
			[]string{"default true false cold unknown None 1"}},
		"one that has not reported is neither ready nor expired": {list(sandboxOf("a")),
			[]string{"default false false cold unknown None 1"}},
		"those alike are one sample": {
			list(sandboxOf("a"), sandboxOf("b"), sandboxOf("c", ready)),
			[]string{"default false false cold unknown None 2", "default true false cold unknown None 1"},
		},
		"one that has expired says so": {
			list(sandboxOf("a", condition("Ready", "False", "SandboxExpired"))),
			[]string{"default false true cold unknown None 1"},
		},
		"the template is the annotation's": {
			list(sandboxOf("a", annotated("agents.x-k8s.io/sandbox-template-ref", "python"))),
			[]string{"default false false cold python None 1"},
		},
		"a claim's Sandbox is launched as its label says": {
			list(sandboxOf("a", labelled("agents.x-k8s.io/launch-type", "warm"), owned(extensions, "SandboxClaim"))),
			[]string{"default false false warm unknown SandboxClaim 1"},
		},
		"a pod-name annotation makes no Sandbox warm": {
			list(sandboxOf("a", annotated("agents.x-k8s.io/pod-name", "a"))),
			[]string{"default false false cold unknown None 1"},
		},
		"a pool's member is warm": {
			list(sandboxOf("a", owned(extensions, "SandboxWarmPool"))),
			[]string{"default false false warm unknown SandboxWarmPool 1"},
		},
		"an owner of the other served version is the same owner": {
			list(sandboxOf("a", owned("extensions.agents.x-k8s.io/v1alpha1", "SandboxClaim"))),
			[]string{"default false false cold unknown SandboxClaim 1"},
		},
		"an owner of another group is none": {
			list(sandboxOf("a", owned("example.com/v1", "SandboxClaim"))), []string{"default false false cold unknown None 1"},
		},
		"a launch type that somebody made up is none": {
			list(sandboxOf("a", labelled("agents.x-k8s.io/launch-type", "x1"))),
			[]string{"default false false cold unknown None 1"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m, _ := newMetrics(t)
			for _, s := range tt.sandboxes {
				m.sandboxes.update(nil, s)
			}
			want := "# HELP agent_sandboxes Sandboxes in the cluster now.\n# TYPE agent_sandboxes gauge\n"
			for _, row := range tt.want {
				f := strings.Fields(row)
				want += fmt.Sprintf(
					"agent_sandboxes{expired=%q,launch_type=%q,namespace=%q,owned_by=%q,ready_condition=%q,sandbox_template=%q} %s\n",
					f[2], f[3], f[0], f[5], f[1], f[4], f[6],
				)
			}
			if err := testutil.CollectAndCompare(m, strings.NewReader(want), "agent_sandboxes"); err != nil {
				t.Error(err)
			}
		})
	}
}

func list(s ...*agentsv1beta1.Sandbox) []*agentsv1beta1.Sandbox { return s }

// After any sequence of creations, changes and deletions, the counts equal those of a recount.
func TestCountsAreThoseOfARecount(t *testing.T) {
	m, _ := newMetrics(t)
	rng := rand.New(rand.NewPCG(1, 2))
	existing := map[string]*agentsv1beta1.Sandbox{}
	for range 5000 {
		name := fmt.Sprintf("s%d", rng.IntN(40))
		was := existing[name]
		if was != nil && rng.IntN(4) == 0 {
			m.sandboxes.remove(was)
			delete(existing, name)
			continue
		}
		is := sandboxOf(name, condition("Ready", []string{"True", "False"}[rng.IntN(2)], "x"))
		is.UID = types.UID(fmt.Sprintf("%s-%d", name, rng.IntN(3))) // deleted and recreated while the watch was interrupted
		is.Annotations = map[string]string{"agents.x-k8s.io/sandbox-template-ref": fmt.Sprint(rng.IntN(3))}
		m.sandboxes.update(was, is)
		existing[name] = is
	}
	want := map[series]int{}
	for _, s := range existing {
		want[seriesOf(s)]++
	}
	for s, n := range want {
		if got := m.sandboxes.counts[s]; got == nil || got.count != n {
			t.Errorf("%+v: %v, want %d", s, got, n)
		}
	}
	if len(m.sandboxes.counts) != len(want) || len(m.sandboxes.bySandbox) != len(existing) {
		t.Errorf("%d series for %d, %d Sandboxes remembered of %d", len(m.sandboxes.counts), len(want),
			len(m.sandboxes.bySandbox), len(existing))
	}
}

func TestTheNumberOfSeriesHasALimit(t *testing.T) {
	m, _ := newMetrics(t)
	const more = 50
	for i := range maxSeries + more {
		m.sandboxes.update(nil, sandboxOf(fmt.Sprint(i), annotated("agents.x-k8s.io/sandbox-template-ref", fmt.Sprint(i))))
	}
	rest := m.sandboxes.counts[series{"default", "false", "false", "cold", otherTemplate, "None"}]
	if len(m.sandboxes.counts) != maxSeries+1 || rest == nil || rest.count != more {
		t.Errorf("%d series, the rest is %v", len(m.sandboxes.counts), rest)
	}
	for i := range maxSeries + more {
		m.sandboxes.remove(sandboxOf(fmt.Sprint(i)))
	}
	if len(m.sandboxes.counts)+len(m.sandboxes.bySandbox) != 0 {
		t.Error("something is remembered of Sandboxes that are gone")
	}
}

func TestAStandbyReportsNothingOfTheCluster(t *testing.T) {
	isLeader := false
	m, err := New(clocktesting.NewFakePassiveClock(testNow), func() bool { return isLeader })
	if err != nil {
		t.Fatal(err)
	}
	m.sandboxes.update(nil, sandboxOf("a"))
	if n := testutil.CollectAndCount(m, "agent_sandboxes"); n != 0 {
		t.Errorf("%d samples of a standby", n)
	}
	isLeader = true
	if n := testutil.CollectAndCount(m, "agent_sandboxes"); n != 1 {
		t.Errorf("%d samples of the leader", n)
	}
}

// The cost of a scrape depends on the number of series: it allocates the same for a hundred Sandboxes and for ten
// thousand.
func TestAScrapeCostsTheSameForAHundredSandboxesAndForTenThousand(t *testing.T) {
	cost := func(sandboxes int) float64 {
		m, _ := newMetrics(t)
		fill(m, sandboxes)
		return testing.AllocsPerRun(20, func() { scrape(m) })
	}
	if few, many := cost(100), cost(10000); many != few {
		t.Errorf("%v allocations for 100 Sandboxes, %v for 10000", few, many)
	}
}

func BenchmarkScrape(b *testing.B) {
	for _, sandboxes := range []int{100, 10000} {
		b.Run(fmt.Sprint(sandboxes), func(b *testing.B) {
			m, _ := newMetrics(b)
			fill(m, sandboxes)
			b.ReportAllocs()
			for b.Loop() {
				scrape(m)
			}
		})
	}
}

func fill(m *Metrics, sandboxes int) {
	for i := range sandboxes {
		m.sandboxes.update(nil, sandboxOf(fmt.Sprint(i)))
	}
}

func scrape(m *Metrics) {
	out := make(chan prometheus.Metric, 1000)
	m.Collect(out)
	close(out)
}

func TestSuspensionAndResumptionAreTimedFromTheWishToItsAnswer(t *testing.T) {
	m, clk := newMetrics(t)
	mode := func(generation int64, replicas int32, conditions ...func(*agentsv1beta1.Sandbox)) *agentsv1beta1.Sandbox {
		s := sandboxOf("a")
		s.Generation, s.Spec.Replicas = generation, &replicas
		for _, do := range conditions {
			do(s)
		}
		return s
	}
	old := func(s *agentsv1beta1.Sandbox) { s.Status.Conditions[0].ObservedGeneration-- }
	ready, down := condition("Ready", "True", "x"), condition("Suspended", "True", "x")
	history := []struct {
		after time.Duration
		is    *agentsv1beta1.Sandbox
	}{
		{0, mode(1, 1, ready)},
		{time.Second, mode(2, 0, ready, old)},
		{5 * time.Millisecond, mode(2, 0, condition("Suspended", "False", "x"))},
		{7 * time.Millisecond, mode(2, 0, down)},
		{time.Second, mode(2, 0, down)}, // once
		{time.Hour, mode(3, 1, down, old)},
		{10 * time.Millisecond, mode(3, 1)},
		{30 * time.Millisecond, mode(3, 1, ready)},
		{time.Second, mode(3, 1)}, // it flaps
		{time.Second, mode(3, 1, ready)},
	}
	var was *agentsv1beta1.Sandbox
	for _, step := range history {
		clk.SetTime(clk.Now().Add(step.after))
		m.sandboxes.update(was, step.is)
		was = step.is
	}
	for name, want := range map[string]float64{"agent_sandbox_suspend_latency_ms": 12,
		"agent_sandbox_resume_latency_ms": 40} {
		if count, sum := gathered.Of(t, m, name, nil); count != 1 || sum != want {
			t.Errorf("%s: %d times, together %v ms, want %v", name, count, sum, want)
		}
	}
}
