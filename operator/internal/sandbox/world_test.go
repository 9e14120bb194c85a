// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/test/simulation"
)

// world is an API server in memory and a clock. The test plays the kubelet.
type world struct {
	t          *testing.T
	store      client.WithWatch
	clock      *clocktesting.FakePassiveClock
	recorder   *events.FakeRecorder
	reconciler *Reconciler
	writes     []string
	// intercept, if set, decides about each write. An error is the server's answer.
	intercept func(write string, do func() error) error
	gate      *claimsfirst.Gate
	// poolHasMember says whether every pool has a warm member. If not, no member holds.
	poolHasMember bool
	// hidden objects are not in the cache yet.
	hidden map[string]bool
}

func newWorld(t *testing.T, objects ...client.Object) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, agentsv1beta1.AddToScheme, extensionsv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{
		t: t, clock: clocktesting.NewFakePassiveClock(testNow), recorder: events.NewFakeRecorder(100),
		hidden: map[string]bool{},
	}
	w.gate = claimsfirst.New(w.clock)
	w.store = fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		objects...).WithStatusSubresource(&agentsv1beta1.Sandbox{}).
		WithIndex(&corev1.Pod{}, ownerUIDIndex, controllerUID).
		WithIndex(
			&corev1.Event{}, "involvedObject.uid",
			func(o client.Object) []string { return []string{string(o.(*corev1.Event).InvolvedObject.UID)} },
		).
		WithIndex(
			&corev1.Event{}, "reason", func(o client.Object) []string { return []string{o.(*corev1.Event).Reason} },
		).Build()
	cached := interceptor.NewClient(w.store, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			if w.hidden[kindOf(o)+" "+key.Name] {
				return apierrors.NewNotFound(corev1.Resource("x"), key.Name)
			}
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if err := c.List(ctx, list, opts...); err != nil {
				return err
			}
			if pods, ok := list.(*corev1.PodList); ok {
				var by client.ListOptions
				if by.ApplyOptions(opts); by.FieldSelector == nil {
					w.t.Error("all Pods of the namespace are listed: that costs the square of their number")
				}
				kept := pods.Items[:0]
				for _, p := range pods.Items {
					if !w.hidden["Pod "+p.Name] {
						kept = append(kept, p)
					}
				}
				pods.Items = kept
			}
			return nil
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return w.write("create "+kindOf(o), func() error { return c.Create(ctx, o, opts...) })
		},
		Patch: func(
			ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption,
		) error {
			return w.write("patch "+kindOf(o), func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return w.write("delete "+kindOf(o), func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(
			ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch,
			opts ...client.SubResourcePatchOption,
		) error {
			return w.write("patch "+kindOf(o)+"/"+sub, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	})
	var err error
	hasMember := func(string, string) bool { return w.poolHasMember }
	if w.reconciler, err = New(cached, w.store, w.recorder, w.clock, "cluster.local", w.gate, hasMember); err != nil {
		t.Fatal(err)
	}
	return w
}

func kindOf(o client.Object) string { return strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1.") }

func (w *world) write(what string, do func() error) error {
	what = strings.TrimPrefix(strings.ReplaceAll(what, "*v1beta1.", ""), "*")
	w.writes = append(w.writes, what)
	if w.intercept != nil {
		return w.intercept(what, do)
	}
	return do()
}

// pass reconciles once and returns RequeueAfter.
func (w *world) pass() (time.Duration, error) {
	w.t.Helper()
	var s agentsv1beta1.Sandbox
	err := w.store.Get(context.Background(), client.ObjectKeyFromObject(box()), &s)
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	result, err := w.reconciler.Reconcile(context.Background(), &s)
	return result.RequeueAfter, err
}

// settle reconciles until nothing is written.
func (w *world) settle() {
	w.t.Helper()
	simulation.Settle(w.t, 20, &w.writes, func() bool {
		if _, err := w.pass(); err != nil {
			w.t.Fatalf("reconcile: %v", err)
		}
		return false
	})
}

// makePodsReady makes every Pod ready.
func (w *world) makePodsReady() {
	w.t.Helper()
	var list corev1.PodList
	if err := w.store.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	for i := range list.Items {
		pod := &list.Items[i]
		ready(pod)
		if err := w.store.Update(context.Background(), pod); err != nil {
			w.t.Fatal(err)
		}
		ready(pod)
		if err := w.store.Status().Update(context.Background(), pod); err != nil {
			w.t.Fatal(err)
		}
	}
}

// edit changes the Sandbox as a user would.
func (w *world) edit(change sandboxOption) {
	w.t.Helper()
	s := w.sandbox()
	change(s)
	s.Generation++
	if err := w.store.Update(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) sandbox() *agentsv1beta1.Sandbox {
	w.t.Helper()
	var s agentsv1beta1.Sandbox
	if err := w.store.Get(context.Background(), client.ObjectKeyFromObject(box()), &s); err != nil {
		w.t.Fatal(err)
	}
	return &s
}

// snapshot describes the state of the world, without resource versions.
func (w *world) snapshot() []string {
	w.t.Helper()
	var all []string
	var pods corev1.PodList
	var services corev1.ServiceList
	var claims corev1.PersistentVolumeClaimList
	var sandboxes agentsv1beta1.SandboxList
	for _, list := range []client.ObjectList{&pods, &services, &claims, &sandboxes} {
		if err := w.store.List(context.Background(), list); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, p := range pods.Items {
		all = append(all, fmt.Sprintf("Pod %s %v %v", p.Name, p.Labels, owners(&p)))
	}
	for _, s := range services.Items {
		all = append(all, fmt.Sprintf("Service %s %v %v", s.Name, s.Spec.Selector, owners(&s)))
	}
	for _, c := range claims.Items {
		all = append(all, fmt.Sprintf("PersistentVolumeClaim %s %v %v", c.Name, c.Labels, owners(&c)))
	}
	for _, s := range sandboxes.Items {
		all = append(all, fmt.Sprintf(
			"Sandbox %s pod-name=%q replicas=%d service=%q ips=%v %v", s.Name, s.Annotations[apis.AnnotationPodName],
			s.Status.Replicas, s.Status.Service, s.Status.PodIPs, conditionStrings(s.Status),
		))
	}
	return all
}

func owners(o client.Object) (uids []string) {
	for _, ref := range o.GetOwnerReferences() {
		uids = append(uids, string(ref.UID))
	}
	return uids
}

// killedPass runs a reconcile that dies at its n-th write, before or after the server executes it, and reports whether
// it died.
func (w *world) killedPass(n int, after bool) (died bool) {
	w.t.Helper()
	w.intercept = simulation.KillAt(n, after)
	defer func() { w.intercept = nil }()
	return simulation.Killed(func() { _, _ = w.pass() })
}

// TestNoPassListsANamespace relies on the world, which fails every test that lists Pods without an index.
func TestNoPassListsANamespace(t *testing.T) {
	w := newLifecycleWorld(t)
	for _, step := range lifecycleSteps {
		step.do(w)
		w.settle()
	}
}
