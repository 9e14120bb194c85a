// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

// noon is the time of all frames.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// fakeSource is a Source whose snapshots a test provides.
type fakeSource struct {
	snapshots   chan *store.Snapshot
	switched    []string
	reconnected int
}

func (s *fakeSource) Snapshots() <-chan *store.Snapshot   { return s.snapshots }
func (s *fakeSource) Switch(namespace string)             { s.switched = append(s.switched, namespace) }
func (s *fakeSource) Reconnect()                          { s.reconnected++ }
func (s *fakeSource) Namespaces(context.Context) []string { return []string{"research", "web"} }

// fakeActor is an Actor that records requests and returns the results that a test sets.
type fakeActor struct {
	asked    []action.Request
	answer   func(action.Request) action.Result
	forwards []action.Forwarding
}

func (a *fakeActor) Dispatch(_ context.Context, r action.Request) action.Result {
	a.asked = append(a.asked, r)
	switch {
	case a.answer != nil:
		return a.answer(r)
	case r.Verb == action.ReadPod:
		return action.Result{Verb: r.Verb, Pod: &action.Pod{Containers: []string{"main", "web"}, Default: "main",
			Ports: []action.Port{{Number: 8888, Name: "http", Container: "web"}, {Number: 80, Container: "web"}}}}
	}
	return action.Result{Verb: r.Verb, Message: string(r.Verb) + " done"}
}

func (a *fakeActor) Forwards() []action.Forwarding { return a.forwards }

type world struct {
	*Model
	source *fakeSource
	actor  *fakeActor
}

// newWorld returns a dashboard of the given size, before its first snapshot.
func newWorld(ctx context.Context, width, height int, change ...func(*Options)) *world {
	w := &world{source: &fakeSource{snapshots: make(chan *store.Snapshot, 1)}, actor: &fakeActor{}}
	o := &Options{Cluster: "demo:6443", Clock: clocktesting.NewFakeClock(noon), guard: &guard{cancel: func(error) {}}}
	for _, f := range change {
		f(o)
	}
	if err := o.validate(); err != nil {
		panic(err)
	}
	w.Model = newModel(ctx, o, w.source, w.actor)
	w.width, w.height = width, height
	return w
}

// filled returns a dashboard that shows the demo.
func filled(ctx context.Context, width, height int, change ...func(*Options)) *world {
	w := newWorld(ctx, width, height, change...)
	w.Update(snapshotMsg{demo()})
	return w
}

func healthy() store.Health {
	var h store.Health
	for _, resource := range []string{apis.ResourceSandboxes, apis.ResourceClaims, apis.ResourceWarmPools,
		apis.ResourceTemplates, "pods"} {
		h.Readings = append(h.Readings, store.Reading{Resource: resource, Namespace: "research", Phase: store.Synced,
			Once: true, Since: ago(time.Hour)})
	}
	return h
}

func unwell(phase store.Phase, once bool, message string) store.Health {
	h := healthy()
	for i := range h.Readings {
		r := &h.Readings[i]
		r.Phase, r.Once, r.Message, r.Since = phase, once, message, ago(90*time.Second)
	}
	return h
}

func isReady(since time.Duration) b.Condition {
	return b.WithCondition(apis.ConditionReady, true, apis.ReasonDependenciesReady, "Pod is Ready", ago(since))
}

func notReady(reason apis.Reason, message string, since time.Duration) b.Condition {
	return b.WithCondition(apis.ConditionReady, false, reason, message, ago(since))
}

// demo returns a snapshot of a namespace with objects in many states.
func demo() *store.Snapshot {
	const noRoom = "Pod exists with phase: Pending: Unschedulable: 0/3 nodes are available: 3 Insufficient memory."
	s := &store.Snapshot{At: noon, Namespace: "research", Health: healthy(), Members: map[types.UID][]*rows.Row{}}
	add := func(name, template string, desired, ready, claimed, warm, cold int, short string, was, claims []int) {
		object := b.Pool(name, template, b.WithUID(types.UID(name)), b.InNamespace("research"),
			b.CreatedAt(ago(50*time.Hour)))
		summary := &pool.Summary{Pool: object, Desired: desired, Ready: ready, Claimed: claimed, Shortage: short}
		if ready == 0 {
			summary.Cause = podreason.TemplateNotFound
		}
		for i := range desired {
			status := agentsv1beta1.SandboxStatus{NodeName: fmt.Sprintf("node-%d", i%3),
				PodIPs: []string{fmt.Sprintf("10.0.1.%d", i+10)}}
			condition := isReady(time.Hour)
			if i >= ready {
				condition, status = notReady(apis.ReasonDependenciesNotReady, noRoom, time.Hour), agentsv1beta1.SandboxStatus{}
			}
			member := b.Sandbox(fmt.Sprintf("%s-%05d", name, i), b.WithUID(types.UID(fmt.Sprintf("%s-%d", name, i))),
				b.InNamespace("research"),
				b.OwnedBy(object), b.CreatedAt(ago(time.Duration(i+1)*7*time.Minute)), b.WithSandboxStatus(status), condition)
			summary.Members = append(summary.Members, member)
			s.Members[object.UID] = append(s.Members[object.UID], rows.FromSandbox(member, nil, i == 1, noon))
		}
		s.Pools = append(s.Pools, rows.FromPool(summary, warm, cold, was, claims))
	}
	add("node-warm", "node", 3, 3, 1, 1, 0, "", []int{3, 3, 3, 2, 3, 3}, []int{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	add("python-warm", "python", 10, 4, 6, 6, 2, "6 not ready: "+noRoom, []int{10, 9, 8, 8, 6, 5, 4, 4},
		[]int{0, 1, 0, 0, 2, 1, 0, 3, 1, 2, 4, 6})
	add("gpu-warm", "gpu", 2, 0, 0, 0, 3, "template gpu does not exist", nil, nil)
	s.Claims = demoWork()
	s.Templates = []*rows.Template{
		rows.FromTemplate(b.Template("python", b.WithUID("t-python"), b.InNamespace("research"),
			b.CreatedAt(ago(90*time.Hour)), b.WithVolume("data", "1Gi")), []string{"python-warm"}, 8, ""),
		rows.FromTemplate(b.Template("node", b.WithUID("t-node"), b.InNamespace("research"), b.CreatedAt(ago(70*time.Hour))),
			[]string{"node-warm"}, 1, ""),
	}
	return s
}

func demoWork() []*rows.Row {
	claim := func(name string, age time.Duration, options ...b.ClaimOption) *extensionsv1beta1.SandboxClaim {
		options = append([]b.ClaimOption{b.WithUID(types.UID("c-" + name)), b.InNamespace("research"), b.CreatedAt(ago(age)),
			b.WithLabel("team", "blue")}, options...)
		return b.Claim(name, "python", options...)
	}
	box := func(name, launch string, owner *extensionsv1beta1.SandboxClaim) *agentsv1beta1.Sandbox {
		return b.Sandbox(name, b.WithUID(types.UID("s-"+name)), b.InNamespace("research"), b.OwnedBy(owner),
			b.WithLabel(apis.LabelLaunchType, launch),
			b.WithSandboxStatus(agentsv1beta1.SandboxStatus{NodeName: "node-1"}),
			isReady(6*time.Hour)) // before it was claimed
	}
	var all []*rows.Row
	for i := range 6 {
		c := claim(fmt.Sprintf("agent-%d", i+1), time.Duration(i+1)*11*time.Minute, isReady(time.Minute),
			b.BoundTo(fmt.Sprintf("python-warm-x%04d", i), fmt.Sprintf("10.0.2.%d", i+1)),
			b.WithClaimShutdown(noon.Add(time.Duration(i+1)*25*time.Minute), extensionsv1beta1.ShutdownPolicyDelete))
		all = append(all, rows.FromClaim(c, box(c.Status.SandboxStatus.Name, apis.LaunchTypeWarm, c), nil, noon))
	}
	cold := claim("notebook", 3*time.Hour, isReady(time.Hour), b.BoundTo("notebook", "10.0.3.9"))
	stuck := claim("trainer", 9*time.Minute, notReady(apis.ReasonTemplateNotFound, "template gpu does not exist",
		9*time.Minute))
	pod := b.Pod("batch", b.CrashLoop(1, 7))
	failed := b.Sandbox("batch", b.WithUID("s-batch"), b.InNamespace("research"), b.CreatedAt(ago(26*time.Hour)),
		b.WithCondition(apis.ConditionReady, false, apis.ReasonPodFailed, "Pod failed: exit code 137 (OOMKilled)",
			ago(time.Hour)),
		b.WithCondition(apis.ConditionFinished, true, apis.ReasonPodFailed, "Pod failed", ago(time.Hour)))
	asleep := b.Sandbox("idle", b.WithUID("s-idle"), b.InNamespace("research"), b.CreatedAt(ago(80*time.Hour)),
		b.WithReplicas(0),
		b.WithCondition(apis.ConditionReady, false, apis.ReasonSandboxSuspended, "Sandbox is suspended", ago(time.Hour)),
		b.WithCondition(apis.ConditionSuspended, true, apis.ReasonPodTerminated,
			"Pod has been terminated. Sandbox is not operational.", ago(time.Hour)))
	return append(all, rows.FromClaim(cold, box("notebook", apis.LaunchTypeCold, cold), nil, noon),
		rows.FromClaim(stuck, nil, nil, noon),
		rows.FromSandbox(failed, pod, false, noon), rows.FromSandbox(asleep, nil, false, noon))
}

func event(kind, reason, message string, age time.Duration) corev1.Event {
	return corev1.Event{Type: kind, Reason: reason, Message: message, LastTimestamp: metav1.NewTime(ago(age)), Count: 3}
}
