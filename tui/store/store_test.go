// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// running is a store that reads a fake cluster.
type running struct {
	*Store
	t *testing.T
}

func start(t *testing.T, c *fakecluster.Cluster, namespace string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	s := New(Options{
		Sandboxes: c.Sandboxes, Kubernetes: c.Kubernetes, Clock: clock.RealClock{}, Namespace: namespace, Home: "home",
		Go: func(f func()) { wg.Go(f) },
	})
	wg.Go(func() { s.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return &running{s, t}
}

// until receives snapshots until one meets the condition.
func (r *running) until(what string, wanted func(*Snapshot) bool) *Snapshot {
	r.t.Helper()
	late := time.After(20 * time.Second)
	var last *Snapshot
	for {
		select {
		case last = <-r.Snapshots():
			if wanted(last) {
				return last
			}
		case <-late:
			r.t.Fatalf("never %s; health %+v", what, last.Health)
		}
	}
}

func synced(s *Snapshot) bool { return !s.Health.Loading() }

func ready() b.Condition {
	return b.WithCondition(apis.ConditionReady, true, apis.ReasonDependenciesReady, "Pod is Ready", time.Unix(0, 0))
}

// objects returns a pool with two members, one of them ready, a claim that took a third one, and a direct Sandbox.
func objects() []runtime.Object {
	template := b.Template("python", b.WithUID("template"))
	pool := b.Pool("fast", "python", b.WithUID("pool"), b.WithReplicas(2))
	claim := b.Claim("dev", "python", b.WithUID("claim"), b.CreatedAt(time.Unix(1, 0)), ready(),
		b.BoundTo("fast-ccccc", "10.0.0.3"))
	taken := b.Sandbox("fast-ccccc", b.WithUID("c"), b.OwnedBy(claim), ready(),
		b.WithLabel("agents.x-k8s.io/launch-type", "warm"))
	return []runtime.Object{
		template, pool, claim, taken,
		b.Sandbox("fast-aaaaa", b.WithUID("a"), b.OwnedBy(pool), ready()),
		b.Sandbox("fast-bbbbb", b.WithUID("b"), b.OwnedBy(pool), b.WithImage("old")),
		b.Sandbox("own", b.WithUID("own")),
		b.Pod("own", b.OwnedBy(b.Sandbox("own", b.WithUID("own"))), b.WithLabel("agents.x-k8s.io/sandbox-name-hash", "x"),
			b.CrashLoop(1, 4)),
	}
}

func TestASnapshotShowsWhatIsThere(t *testing.T) {
	s := start(t, fakecluster.New(objects()...), "")
	got := s.until("synced", synced)
	if len(got.Pools) != 1 || len(got.Claims) != 2 || len(got.Members["pool"]) != 2 || len(got.Templates) != 1 {
		t.Fatalf("%d pools, %d rows, %d members, %d templates", len(got.Pools), len(got.Claims), len(got.Members["pool"]),
			len(got.Templates))
	}
	p := got.Pools[0]
	if p.Desired != 2 || p.Ready != 1 || p.Claimed != 1 || p.Pending != 1 || p.Stale != 1 || p.Warm != 1 || p.Short == "" {
		t.Errorf("pool: %+v", *p)
	}
	for _, r := range got.Members["pool"] {
		if r.Stale != (r.Name == "fast-bbbbb") {
			t.Errorf("%s: stale %v", r.Name, r.Stale)
		}
	}
	for _, r := range got.Claims {
		if r.Name == "dev" && (r.Source != rows.SourceWarm || r.Pool != "fast" || r.State != diagnose.Ready) {
			t.Errorf("claim: %+v", *r)
		}
		if r.Name == "own" && (r.Source != rows.SourceDirect || r.Restarts != 4) {
			t.Errorf("Sandbox: %+v", *r)
		}
	}
	if tmpl := got.Templates[0]; tmpl.Claims != 1 || strings.Join(tmpl.Pools, " ") != "fast" {
		t.Errorf("template: %+v", *tmpl)
	}
}

func TestChangesArriveAndTheOldSnapshotStays(t *testing.T) {
	c := fakecluster.New(objects()...)
	s := start(t, c, "")
	before := s.until("synced", synced)
	if err := c.Sandboxes.AgentsV1beta1().Sandboxes(b.Namespace).Delete(t.Context(), "fast-aaaaa",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.until("empty of ready members", func(s *Snapshot) bool {
		return s.Pools[0].Ready == 0 &&
			len(s.Members["pool"]) == 1
	})
	template := b.Template("python", b.WithUID("template"), b.WithImage("old"), b.WithGeneration(2))
	if _, err := c.Sandboxes.ExtensionsV1beta1().SandboxTemplates(b.Namespace).Update(t.Context(), template,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.until("of the new template", func(s *Snapshot) bool { return s.Pools[0].Stale == 0 && !s.Members["pool"][0].Stale })
	if before.Pools[0].Ready != 1 || len(before.Members["pool"]) != 2 {
		t.Error("a snapshot changed after it was handed out")
	}
}

func TestWhatMayNotBeReadIsAState(t *testing.T) {
	c := fakecluster.New(objects()...)
	c.Refuse("*", apis.ResourceClaims, fakecluster.Forbidden("list", apis.ResourceClaims, apis.GroupExtensions))
	got := start(t, c, b.Namespace).until("synced", synced)
	refused := got.Health.Forbidden()
	if len(refused) != 1 || refused[0].Resource != apis.ResourceClaims || refused[0].Message == "" || got.Health.Blind() {
		t.Errorf("health: %+v", got.Health)
	}
	if p := got.Pools[0]; p.Claimed != -1 || p.Ready != 1 {
		t.Errorf("what cannot be known is unknown: %+v", *p)
	}
	if !got.Health.Unread(apis.ResourceClaims) || got.Health.Unread(apis.ResourceSandboxes) {
		t.Error("unread is what was never read")
	}
}

func TestKindsThatTheServerDoesNotKnow(t *testing.T) {
	c := fakecluster.New(objects()...)
	c.Refuse("*", "*", fakecluster.NotServed())
	got := start(t, c, b.Namespace).until("synced", synced)
	if !got.Health.Absent() {
		t.Errorf("health: %+v", got.Health)
	}
}

func TestNamespacesAreReadOneByOneWhereAllAtOnceAreForbidden(t *testing.T) {
	world := append(objects(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.Namespace}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "secret"}})
	tests := map[string]struct {
		listed bool // whether namespaces may be listed
		rows   int
	}{
		"those that exist":       {listed: true, rows: 2},
		"or else the user's own": {rows: 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := fakecluster.New(world...)
			refuse := func(a clienttesting.Action) (bool, runtime.Object, error) {
				wide := a.GetNamespace() == "" && (a.GetResource().Resource != "namespaces" || !tt.listed)
				return wide || a.GetNamespace() == "secret", nil, fakecluster.Forbidden("list", a.GetResource().Resource, "")
			}
			c.Sandboxes.PrependReactor("list", "*", refuse)
			c.Kubernetes.PrependReactor("list", "*", refuse)
			got := start(t, c, "").until("read", func(s *Snapshot) bool {
				return synced(s) && len(s.Claims) == tt.rows && !s.Health.Unread(apis.ResourceClaims)
			})
			if got.Health.first(Split) == nil {
				t.Error("that it is split is not said")
			}
			if n := len(got.Health.Forbidden()); tt.listed && n != 5 {
				t.Errorf("%d readings are forbidden, want the five of the secret namespace", n)
			}
		})
	}
}

func TestWhatWasReadStaysWhileTheServerIsAway(t *testing.T) {
	c := fakecluster.New(objects()...)
	var away atomic.Bool
	refuse := func(clienttesting.Action) (bool, runtime.Object, error) {
		return away.Load(), nil, errors.New("connection refused")
	}
	c.Sandboxes.PrependReactor("list", "*", refuse)
	c.Kubernetes.PrependReactor("list", "*", refuse)
	s := start(t, c, "")
	s.until("synced", synced)
	away.Store(true)
	s.Reconnect()
	got := s.until("disconnected", func(s *Snapshot) bool { return s.Health.Disconnected() != nil })
	if len(got.Claims) != 2 || got.Health.Disconnected().Message != "connection refused" {
		t.Errorf("%d rows, %+v", len(got.Claims), got.Health.Disconnected())
	}
	away.Store(false)
	s.until("connected again by itself", func(s *Snapshot) bool { return s.Health.Disconnected() == nil && synced(s) })
}

func TestSwitchingTheNamespaceBeginsAnew(t *testing.T) {
	c := fakecluster.New(append(objects(), b.Sandbox("else", b.WithUID("else"), b.InNamespace("other")))...)
	s := start(t, c, b.Namespace)
	s.until("of one namespace", func(s *Snapshot) bool { return synced(s) && len(s.Claims) == 2 })
	s.Switch("other")
	got := s.until("of the other", func(s *Snapshot) bool { return synced(s) && s.Namespace == "other" })
	if len(got.Claims) != 1 || got.Claims[0].Name != "else" || len(got.Pools) != 0 {
		t.Errorf("%d rows, %d pools", len(got.Claims), len(got.Pools))
	}
}

func TestHoweverManyEventsThereAreFewSnapshots(t *testing.T) {
	c := fakecluster.New(objects()...)
	s := start(t, c, "")
	s.until("synced", synced)
	began, count := time.Now(), 0
	const many, atOnce = 500, 50 // more at once do not fit into a watch of the fake cluster
	for i := range many {
		if _, err := c.Sandboxes.AgentsV1beta1().Sandboxes(b.Namespace).Create(t.Context(), b.Sandbox(fmt.Sprintf("s%d", i)),
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if (i+1)%atOnce == 0 {
			s.until("complete", func(s *Snapshot) bool {
				count++
				return len(s.Claims) == 2+i+1
			})
		}
	}
	if most := int(time.Since(began)/MinInterval) + 2; count > most {
		t.Errorf("%d snapshots in %s, at most %d", count, time.Since(began), most)
	}
}

func TestOnlyWhatIsShownIsKept(t *testing.T) {
	st := newState()
	pool := b.Pool("fast", "python", b.WithUID("pool"))
	for _, name := range []string{"fast-aaaaa", "fast-bbbbb"} {
		st.putSandbox(b.Sandbox(name, b.OwnedBy(pool), b.WithAnnotation("example.com/big", strings.Repeat("x", 1000))))
	}
	st.putSandbox(b.Sandbox("own"))
	one, two := st.sandboxes[key{Namespace: b.Namespace, Name: "fast-aaaaa"}], st.sandboxes[key{Namespace: b.Namespace,
		Name: "fast-bbbbb"}]
	if len(one.Annotations) > 0 || len(one.Spec.PodTemplate.Spec.Containers) > 0 {
		t.Errorf("kept: %+v", one.Sandbox)
	}
	if one.blueprint == nil || one.blueprint != two.blueprint {
		t.Error("members that are alike share no blueprint")
	}
	if own := st.sandboxes[key{Namespace: b.Namespace, Name: "own"}]; own.blueprint != nil {
		t.Error("a Sandbox outside a pool has a blueprint")
	}
}

func TestTheHistoryOfAPool(t *testing.T) {
	h, now := newHistory(), time.Unix(60*1000, 0)
	pool := key{Namespace: "a", Name: "fast"}
	h.countClaim("1", now, now, pool)
	h.countClaim("1", now, now, pool) // counted already
	h.countClaim("2", now.Add(-2*time.Minute), now, pool)
	h.countClaim("3", now.Add(-time.Hour), now, pool) // too long ago
	counts := h.perMinute(pool, now)
	if len(counts) != Minutes || counts[Minutes-1] != 1 || counts[Minutes-3] != 1 {
		t.Errorf("claims per minute: %v", counts)
	}
	if later := h.perMinute(pool, now.Add(time.Hour)); later[Minutes-1] != 0 || len(h.claims[pool]) != 0 {
		t.Errorf("an hour later: %v", later)
	}
	for i := range Samples + 3 {
		if h.sampleDue(now.Add(time.Duration(i) * sampleEvery)) {
			h.sample("uid", i)
		}
	}
	if ready := h.ready["uid"]; len(ready) != Samples || ready[Samples-1] != Samples+2 {
		t.Errorf("samples: %v", ready)
	}
	if h.retain(nil); len(h.ready) != 0 {
		t.Error("a pool that is gone is remembered")
	}
}
