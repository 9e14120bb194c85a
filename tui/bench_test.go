// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
)

// The size of the benchmark: pools with members, claimed Sandboxes, the number of changes per second, and the keys
// pressed.
const (
	benchPools     = 13
	benchMembers   = 800
	benchClaimed   = 200
	benchEvents    = 200
	benchKeys      = 400
	benchKeyEvery  = 25 * time.Millisecond
	benchFramesPer = 250 * time.Millisecond
)

// crowd returns 13 pools with 800 members and 200 claimed Sandboxes each: 13,000 Sandboxes.
func crowd() (objects []k8sruntime.Object, members []*agentsv1beta1.Sandbox) {
	for p := range benchPools {
		name := fmt.Sprintf("pool-%02d", p)
		template := b.Template(name, b.WithUID(types.UID("t-"+name)))
		pool := b.Pool(name, name, b.WithUID(types.UID(name)), b.WithReplicas(benchMembers))
		objects = append(objects, template, pool)
		for i := range benchMembers + benchClaimed {
			s := b.Sandbox(fmt.Sprintf("%s-%05d", name, i), b.WithUID(types.UID(fmt.Sprintf("%s-%d", name, i))),
				isReady(time.Hour),
				b.CreatedAt(ago(time.Duration(i)*time.Minute)), b.WithAnnotation("example.com/filler", strings.Repeat("x", 600)),
				b.WithLabel("agents.x-k8s.io/sandbox-template-ref-hash", "0"), b.WithLabel("agents.x-k8s.io/warm-pool-sandbox",
					name),
				b.WithSandboxStatus(agentsv1beta1.SandboxStatus{NodeName: fmt.Sprintf("node-%d", i%50),
					PodIPs: []string{fmt.Sprintf("10.%d.%d.%d", p, i/256, i%256)}}),
				isReady(time.Hour))
			fields := &metav1.FieldsV1{}
			fields.SetRawString(strings.Repeat("f", 1500))
			s.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "x", FieldsV1: fields}}
			if i < benchMembers {
				b.OwnedBy(pool)(s)
				members = append(members, s)
			} else {
				claim := b.Claim(fmt.Sprintf("c-%s-%d", name, i), name, b.WithUID(types.UID(fmt.Sprintf("c-%s-%d", name, i))),
					isReady(time.Hour), b.BoundTo(s.Name),
					b.WithClaimShutdown(noon.Add(time.Hour), extensionsv1beta1.ShutdownPolicyDelete))
				b.OwnedBy(claim)(s)
				objects = append(objects, claim)
			}
			objects = append(objects, s)
		}
	}
	return objects, members
}

// timed is a dashboard that measures the time from each key to its frame.
type timed struct {
	*Model
	mu      sync.Mutex
	pending []time.Time
	taken   []time.Duration
	first   time.Time
}

type keyAt struct{ at time.Time }

func (m *timed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, is := msg.(keyAt); is {
		m.pending = append(m.pending, key.at)
		msg = press([]string{"down", "up", "tab", "pgdown", "pgup"}[len(m.taken)%5])
	}
	_, cmd := m.Model.Update(msg)
	return m, cmd
}

func (m *timed) View() tea.View {
	v := m.Model.View()
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first.IsZero() && m.snapshot != nil && !m.snapshot.Health.Loading() {
		m.first = now
	}
	for _, at := range m.pending {
		m.taken = append(m.taken, now.Sub(at))
	}
	m.pending = nil
	return v
}

func (m *timed) state() (keys int, first time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.taken), m.first
}

// BenchmarkDashboard shows 13,000 Sandboxes of which 200 change each second. Run it with -benchtime 1x.
func BenchmarkDashboard(bench *testing.B) {
	for bench.Loop() {
		runCrowd(bench)
	}
}

func runCrowd(bench *testing.B) {
	defer func(size int32) { watch.DefaultChanSize = size }(watch.DefaultChanSize)
	watch.DefaultChanSize = 1 << 14 // the fake cluster panics where a real one ends a watch that is read too slowly
	objects, members := crowd()
	cluster := fakecluster.New(objects...)
	ctx, cancel := context.WithCancelCause(bench.Context())
	g := &guard{cancel: cancel}
	o := &Options{
		Sandboxes: cluster.Sandboxes, Kubernetes: cluster.Kubernetes, Clock: clock.RealClock{}, Namespace: b.Namespace,
		Refresh: benchFramesPer, guard: g,
	}
	if err := o.validate(); err != nil {
		bench.Fatal(err)
	}
	feed := o.store()
	m := &timed{Model: newModel(ctx, o, feed, action.New(action.Options{Sandboxes: cluster.Sandboxes,
		Kubernetes: cluster.Kubernetes, Clock: o.Clock, Go: g.run}))}
	began := time.Now()
	g.run(func() { feed.Run(ctx) })
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithWindowSize(200, 50), tea.WithoutSignals())
	g.run(func() { _, _ = program.Run() }) // ends with the context
	first := await(bench, func() (time.Time, bool) { _, first := m.state(); return first, !first.IsZero() })
	g.run(func() { change(ctx, cluster, members) })
	ticker := time.NewTicker(benchKeyEvery)
	defer ticker.Stop()
	for range benchKeys {
		now := <-ticker.C
		program.Send(keyAt{now})
	}
	await(bench, func() (int, bool) { keys, _ := m.state(); return keys, keys >= benchKeys })
	cancel(nil)
	g.wg.Wait()
	slices.Sort(m.taken)
	bench.ReportMetric(float64(first.Sub(began).Milliseconds()), "first-frame-ms")
	bench.ReportMetric(float64(m.taken[len(m.taken)/2].Microseconds())/1000, "key-p50-ms")
	bench.ReportMetric(float64(m.taken[len(m.taken)*99/100].Microseconds())/1000, "key-p99-ms")
	bench.ReportMetric(heapOf(objects), "store-MB")
}

func await[T any](bench *testing.B, done func() (T, bool)) T {
	bench.Helper()
	late, look := time.After(time.Minute), time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		if value, is := done(); is {
			return value
		}
		select {
		case <-look.C:
		case <-late:
			bench.Fatal("the dashboard does not get on")
		}
	}
}

// change makes members unready and ready again, at the rate of the benchmark.
func change(ctx context.Context, cluster *fakecluster.Cluster, members []*agentsv1beta1.Sandbox) {
	ticker := time.NewTicker(time.Second / benchEvents)
	defer ticker.Stop()
	random := rand.New(rand.NewPCG(1, 2))
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s := members[random.IntN(len(members))].DeepCopy()
		if random.IntN(2) == 0 {
			s.Status.Conditions = []metav1.Condition{metav1.Condition(notReady(apis.ReasonDependenciesNotReady,
				"Pod exists with phase: Pending", time.Minute))}
		}
		// fails at the end only
		_, _ = cluster.Sandboxes.AgentsV1beta1().Sandboxes(s.Namespace).Update(ctx, s, metav1.UpdateOptions{})
	}
}

// heapOf returns the memory that a store of the objects keeps, in MB.
func heapOf(objects []k8sruntime.Object) float64 {
	before := heap()
	ctx, cancel := context.WithCancelCause(context.Background())
	g := &guard{cancel: cancel}
	cluster := fakecluster.New(objects...)
	o := &Options{Sandboxes: cluster.Sandboxes, Kubernetes: cluster.Kubernetes, Clock: clock.RealClock{},
		Namespace: b.Namespace, guard: g}
	feed := o.store()
	fake := heap() - before
	g.run(func() { feed.Run(ctx) })
	for s := range feed.Snapshots() {
		if !s.Health.Loading() {
			break
		}
	}
	kept := heap() - before - fake
	cancel(nil)
	g.wg.Wait()
	runtime.KeepAlive(cluster)
	runtime.KeepAlive(feed)
	return kept
}

func heap() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc) / (1 << 20)
}
