// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
)

// world is an API server in memory, a clock, a cache that a test can freeze, and an operator that a test can kill.
type world struct {
	t          testing.TB
	store      client.WithWatch
	clock      *clocktesting.FakePassiveClock
	recorder   *events.FakeRecorder
	queue      *warmqueue.Queue
	reconciler *Reconciler
	metrics    *metrics.Metrics
	gate       *claimsfirst.Gate
	writes     []string
	// onWrite, if set, intercepts each write. An error is the server's answer.
	onWrite func(write string, do func() error) error
	// beforeRead, if set, runs before each read of Sandboxes and each read from the API server.
	beforeRead func(read string)
	// staleSandboxes are the versions in the cache, by name; nil if the cache does not have the Sandbox yet.
	staleSandboxes map[string]*agentsv1beta1.Sandbox
	// staleObjects are the cached versions of templates and pools, by name.
	staleObjects map[string]client.Object
	leavingNode  string // a node that is about to be removed
	promises     *promises
	createdCount *int // objects that all operators have created
}

func newWorld(t testing.TB, objects ...client.Object) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, agentsv1beta1.AddToScheme, extensionsv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{
		t:              t,
		clock:          clocktesting.NewFakePassiveClock(testNow),
		recorder:       events.NewFakeRecorder(1000),
		staleSandboxes: map[string]*agentsv1beta1.Sandbox{},
		createdCount:   new(int),
		staleObjects:   map[string]client.Object{},
		promises:       newPromises(),
	}
	w.store = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&agentsv1beta1.Sandbox{}, &extensionsv1beta1.SandboxClaim{}).
		WithIndex(&agentsv1beta1.Sandbox{}, claimUIDIndex, claimUIDOf).
		WithIndex(
			&extensionsv1beta1.SandboxClaim{}, templateIndex, indexBy((*extensionsv1beta1.SandboxClaimSpec).TemplateName),
		).
		WithIndex(
			&extensionsv1beta1.SandboxClaim{}, poolIndex, indexBy((*extensionsv1beta1.SandboxClaimSpec).PoolName),
		).Build()
	w.restart()
	return w
}

func (w *world) isLeaving(node string) bool { return node != "" && node == w.leavingNode }

// restart starts an operator with an empty queue and a current cache.
func (w *world) restart() {
	w.t.Helper()
	w.queue, w.onWrite, w.beforeRead = warmqueue.New(), nil, nil
	clear(w.staleSandboxes)
	clear(w.staleObjects)
	w.gate = claimsfirst.New(w.clock)
	var err error
	if w.metrics, err = metrics.New(w.clock, func() bool { return true }); err != nil {
		w.t.Fatal(err)
	}
	w.reconciler, err = New(w.cached(), w.live(), w.queue, w.recorder, w.clock, w.metrics, w.isLeaving, w.gate)
	if err != nil {
		w.t.Fatal(err)
	}
	w.syncQueue()
}

// reconcile reconciles a claim and returns the requeue delay.
func (w *world) reconcile(name string) (time.Duration, error) {
	w.t.Helper()
	var claim extensionsv1beta1.SandboxClaim
	err := w.store.Get(context.Background(), keyOf(name), &claim)
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	result, err := w.reconciler.Reconcile(context.Background(), &claim)
	return result.RequeueAfter, err
}

// settle reconciles all claims until nothing is written any more.
func (w *world) settle() {
	w.t.Helper()
	simulation.Settle(w.t, 30, &w.writes, func() bool {
		for _, claim := range w.claims() {
			if _, err := w.reconcile(claim.Name); err != nil {
				w.t.Fatalf("reconcile %s: %v", claim.Name, err)
			}
		}
		w.syncQueue()
		return false
	})
}

func keyOf(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: builders.Namespace, Name: name}
}

func (w *world) claims() []extensionsv1beta1.SandboxClaim {
	w.t.Helper()
	var list extensionsv1beta1.SandboxClaimList
	if err := w.store.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	return list.Items
}

func (w *world) sandboxes() []agentsv1beta1.Sandbox {
	w.t.Helper()
	var list agentsv1beta1.SandboxList
	if err := w.store.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	return list.Items
}

func (w *world) claim(name string) *extensionsv1beta1.SandboxClaim {
	w.t.Helper()
	claim := &extensionsv1beta1.SandboxClaim{}
	if err := w.store.Get(context.Background(), keyOf(name), claim); err != nil {
		w.t.Fatal(err)
	}
	return claim
}

func (w *world) sandbox(name string) *agentsv1beta1.Sandbox {
	w.t.Helper()
	s := &agentsv1beta1.Sandbox{}
	if err := w.store.Get(context.Background(), keyOf(name), s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// violations lists violated invariants: a Sandbox with two owners, a claim with two Sandboxes unless several operators
// run, two claims that name one Sandbox, and broken promises.
func (w *world) violations() (problems []string) {
	w.t.Helper()
	owned, named := map[types.UID][]string{}, map[string]string{}
	for _, s := range w.sandboxes() {
		if len(s.OwnerReferences) != 1 {
			problems = append(problems, fmt.Sprintf("Sandbox %s has the owners %q", s.Name, ownerNames(&s)))
		}
		if ref := owner.ControllerOf(&s, apis.KindSandboxClaim); ref != nil {
			owned[ref.UID] = append(owned[ref.UID], s.Name)
			if len(owned[ref.UID]) > 1 && !w.promises.severalOperators {
				problems = append(problems, fmt.Sprintf("claim %s owns %v", ref.Name, owned[ref.UID]))
			}
		}
	}
	for _, c := range w.claims() {
		name := c.Status.SandboxStatus.Name
		if other := named[name]; name != "" && other != "" {
			problems = append(problems, fmt.Sprintf("claims %s and %s both say that they have Sandbox %s", other, c.Name, name))
		}
		named[name] = c.Name
	}
	return append(problems, w.promises.broken(w.claims(), w.sandboxes())...)
}

// snapshot formats the state of all objects without versions and times.
func (w *world) snapshot() (all []string) {
	w.t.Helper()
	for _, s := range w.sandboxes() {
		all = append(all, fmt.Sprintf("Sandbox %s of %s %v", s.Name, ownerNames(&s), s.Labels))
	}
	for _, c := range w.claims() {
		all = append(all, fmt.Sprintf(
			"SandboxClaim %s note=%s label=%s keys=%v status=%v %q", c.Name, c.AssignedSandbox(),
			c.Labels[apis.LabelAssignedSandboxName], slices.Sorted(maps.Keys(c.Annotations)), c.Status.SandboxStatus,
			conditionStrings(c.Status.Conditions),
		))
	}
	return all
}

func ownerNames(o client.Object) string {
	var all []string
	for _, ref := range o.GetOwnerReferences() {
		all = append(all, ref.Kind+"/"+ref.Name)
	}
	return strings.Join(all, "+")
}

// killedReconcile reconciles the claim with an operator that dies at its n-th write: after the API server has carried
// it out, or before. It reports whether the reconcile got that far.
func (w *world) killedReconcile(claim string, n int, after bool) (killed bool) {
	w.t.Helper()
	w.onWrite = simulation.KillAt(n, after)
	defer func() { w.onWrite = nil }()
	return simulation.Killed(func() { _, _ = w.reconcile(claim) })
}
