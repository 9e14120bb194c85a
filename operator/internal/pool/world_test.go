// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
)

var testNow = time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)

var testOptions = Options{
	MaxBatch: 300, ReadinessGracePeriod: 5 * time.Minute, UnschedulableRecheck: time.Minute,
}

// world is an API server in memory, a clock, and a cache of Sandboxes that shows what the test has delivered.
type world struct {
	t          *testing.T
	store      client.WithWatch
	live       client.Reader // reads from the API server
	cached     client.Client
	cache      map[string]*agentsv1beta1.Sandbox
	clock      *clocktesting.FakePassiveClock
	gate       *claimsfirst.Gate
	recorder   *events.FakeRecorder
	options    Options
	reconciler *Reconciler
	queue      workqueue.TypedRateLimitingInterface[reconcile.Request]
	serial     int
	blocked    map[podreason.Cause]int // the last values of the gauges

	mu     sync.Mutex
	writes []string
	// intercept, if set, executes or refuses each write. Its error is the server's answer.
	intercept func(write string, do func() error) error
}

func newWorld(t *testing.T, options Options, objects ...client.Object) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, agentsv1beta1.AddToScheme,
		extensionsv1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{
		t: t, clock: clocktesting.NewFakePassiveClock(testNow), recorder: events.NewFakeRecorder(10000), options: options,
		cache: map[string]*agentsv1beta1.Sandbox{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]()),
	}
	w.gate = claimsfirst.New(w.clock)
	t.Cleanup(w.queue.ShutDown)
	w.store = fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&agentsv1beta1.Sandbox{}, &extensionsv1beta1.SandboxWarmPool{}).Build()
	w.live = w.store
	w.cached = interceptor.NewClient(w.store, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if sandboxes, ok := list.(*agentsv1beta1.SandboxList); ok {
				w.listCached(sandboxes, opts)
				return nil
			}
			return c.List(ctx, list, opts...)
		},
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object,
			opts ...client.GetOption) error {
			if sandbox, ok := o.(*agentsv1beta1.Sandbox); ok {
				return w.getCached(key, sandbox)
			}
			return c.Get(ctx, key, o, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return w.recordWrite("create "+kindOf(o), func() error { return w.createOnServer(ctx, o, opts) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch,
			opts ...client.PatchOption) error {
			return w.recordWrite("patch "+kindOf(o), func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return w.recordWrite("delete "+kindOf(o), func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch,
			opts ...client.SubResourcePatchOption) error {
			return w.recordWrite("patch "+kindOf(o)+"/"+sub, func() error {
				return c.SubResource(sub).Patch(ctx, o, p, opts...)
			})
		},
	})
	w.restart()
	return w
}

func kindOf(o client.Object) string { return strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1beta1.") }

// Blocked implements Gauges.
func (w *world) Blocked(_ *extensionsv1beta1.SandboxWarmPool, causes map[podreason.Cause]int) {
	w.blocked = causes
}

// createOnServer sets UID and creation time, as an API server does.
func (w *world) createOnServer(ctx context.Context, o client.Object, opts []client.CreateOption) error {
	w.serial++
	o.SetUID(types.UID(fmt.Sprintf("uid-%d", w.serial)))
	o.SetCreationTimestamp(metav1.NewTime(w.clock.Now()))
	return w.store.Create(ctx, o, opts...)
}

// recordWrite serializes the writes, which the reconciler makes in parallel.
func (w *world) recordWrite(what string, do func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes = append(w.writes, what)
	if w.intercept != nil {
		return w.intercept(what, do)
	}
	return do()
}

// listCached lists from the cache by the index.
func (w *world) listCached(list *agentsv1beta1.SandboxList, opts []client.ListOption) {
	var options client.ListOptions
	options.ApplyOptions(opts)
	value, _ := options.FieldSelector.RequiresExactMatch(membershipIndex)
	for _, name := range slices.Sorted(maps.Keys(w.cache)) {
		if slices.Contains(indexMembership(w.cache[name]), value) {
			list.Items = append(list.Items, *w.cache[name])
		}
	}
}

// getCached reads a Sandbox from the cache.
func (w *world) getCached(key client.ObjectKey, sandbox *agentsv1beta1.Sandbox) error {
	if cached := w.cache[key.Name]; cached != nil {
		cached.DeepCopyInto(sandbox)
		return nil
	}
	return apierrors.NewNotFound(agentsv1beta1.Resource("sandboxes"), key.Name)
}

// restart starts a new operator without memory, whose cache shows the state of the API server.
func (w *world) restart() {
	w.t.Helper()
	r, err := New(w.cached, w.live, w.recorder, w.clock, w.options, w, w.gate)
	if err != nil {
		w.t.Fatal(err)
	}
	r.suffix = func() string { w.serial++; return fmt.Sprintf("%05d", w.serial) }
	w.reconciler = r
	w.cache = map[string]*agentsv1beta1.Sandbox{}
	maps.Copy(w.cache, w.stored())
}

func (w *world) stored() map[string]*agentsv1beta1.Sandbox {
	w.t.Helper()
	var list agentsv1beta1.SandboxList
	if err := w.store.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	all := map[string]*agentsv1beta1.Sandbox{}
	for i := range list.Items {
		all[list.Items[i].Name] = &list.Items[i]
	}
	return all
}

// deliverToCache updates one Sandbox in the cache and calls the event handler.
func (w *world) deliverToCache(name string) {
	w.t.Helper()
	var is *agentsv1beta1.Sandbox
	var now agentsv1beta1.Sandbox
	switch err := w.store.Get(context.Background(), client.ObjectKey{Namespace: builders.Namespace, Name: name}, &now); {
	case err == nil:
		is = &now
	case !apierrors.IsNotFound(err):
		w.t.Fatal(err)
	}
	was := w.cache[name]
	switch {
	case is == nil && was == nil:
	case is == nil:
		delete(w.cache, name)
		w.reconciler.memberChanged(context.Background(), was, nil, w.queue)
	case was == nil:
		w.cache[name] = is
		w.reconciler.memberChanged(context.Background(), nil, is, w.queue)
	case was.UID != is.UID:
		delete(w.cache, name)
		w.reconciler.memberChanged(context.Background(), was, nil, w.queue)
		w.cache[name] = is
		w.reconciler.memberChanged(context.Background(), nil, is, w.queue)
	case was.ResourceVersion != is.ResourceVersion:
		w.cache[name] = is
		w.reconciler.memberChanged(context.Background(), was, is, w.queue)
	}
}

// syncCache updates all Sandboxes in the cache.
func (w *world) syncCache() {
	w.t.Helper()
	all := w.stored()
	for name := range w.cache {
		all[name] = nil
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		w.deliverToCache(name)
	}
}

// pass runs one reconcile and returns the requeue delay.
func (w *world) pass() (time.Duration, error) {
	w.t.Helper()
	result, err := w.reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: key("pool")})
	return result.RequeueAfter, err
}

// settle reconciles until nothing is written or due within two seconds, and advances the clock in between.
func (w *world) settle() {
	w.t.Helper()
	simulation.Settle(w.t, 40, &w.writes, func() (pending bool) {
		w.syncCache()
		again, err := w.pass()
		if err != nil {
			w.t.Fatalf("pass: %v", err)
		}
		if again <= 0 || again > 2*time.Second {
			return false
		}
		w.clock.SetTime(w.clock.Now().Add(again))
		return true
	})
}
