// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// staleCache returns a client whose cache shows nothing yet but policies.
func staleCache(w *world) client.Client {
	return interceptor.NewClient(w.store, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			if _, policy := o.(*networkingv1.NetworkPolicy); policy {
				return c.Get(ctx, key, o, opts...)
			}
			return apierrors.NewNotFound(corev1.Resource("x"), key.Name)
		},
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return nil },
	})
}

func TestAPolicyStaysAsLongAsSomethingNeedsIt(t *testing.T) {
	const label, other = "0fceff97", "00000000"
	selected := func(value string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: builders.Namespace, Name: "x",
			Labels: map[string]string{"agents.x-k8s.io/sandbox-template-ref-hash": value},
		}
	}
	elsewhere := selected(label)
	elsewhere.Namespace = "elsewhere"
	suspended := &agentsv1beta1.Sandbox{ObjectMeta: selected(label)}
	suspended.Spec.Replicas = new(int32)
	tests := map[string]struct {
		policy *networkingv1.NetworkPolicy
		others []client.Object
		again  time.Duration
		gone   bool
	}{
		"its template is there": {newPolicy(nil), []client.Object{newTemplate()}, 0, false},
		"a Pod carries its label": {
			newPolicy(nil), []client.Object{&corev1.Pod{ObjectMeta: selected(label)}}, waits.Blocked, false,
		},
		"a suspended Sandbox will have such a Pod": {newPolicy(nil), []client.Object{suspended}, waits.Blocked, false},
		"nothing is left":                          {newPolicy(nil), nil, 0, true},
		"what is left is another template's": {
			newPolicy(nil), []client.Object{&corev1.Pod{ObjectMeta: selected(other)}}, 0, true,
		},
		"what is left is in another namespace": {
			newPolicy(nil), []client.Object{&corev1.Pod{ObjectMeta: elsewhere}}, 0, true,
		},
		"it is somebody else's": {newPolicy(makeForeign), nil, 0, false},
		"somebody controls it": {
			newPolicy(func(p *networkingv1.NetworkPolicy) { builders.OwnedByStranger()(p) }), nil, 0, false,
		},
		"it is ours by a name that no template has": {
			newPolicy(func(p *networkingv1.NetworkPolicy) { p.Name = "python" }), nil, 0, false,
		},
	}
	for name, tt := range tests {
		for _, lag := range []bool{false, true} {
			w := newWorld(t, append(tt.others, tt.policy.DeepCopy())...)
			cache := w.cache
			if lag {
				cache = staleCache(w)
			}
			remover, err := NewRemover(cache, w.store)
			if err != nil {
				t.Fatal(err)
			}
			key := client.ObjectKeyFromObject(tt.policy)
			var policy networkingv1.NetworkPolicy
			if err := w.store.Get(t.Context(), key, &policy); err != nil {
				t.Fatal(err)
			}
			result, err := remover.Reconcile(t.Context(), &policy)
			if err != nil || result.RequeueAfter != tt.again {
				t.Errorf("%s: again in %s, %v", name, result.RequeueAfter, err)
			}
			if gone := apierrors.IsNotFound(w.store.Get(t.Context(), key, &policy)); gone != tt.gone {
				t.Errorf("%s (the cache lags: %t): gone is %t", name, lag, gone)
			}
		}
	}
}

func TestATemplateMadeAnewKeepsThePolicyThatItTookOver(t *testing.T) {
	w := newWorld(t, newPolicy(nil))
	remover, err := NewRemover(w.cache, w.store)
	if err != nil {
		t.Fatal(err)
	}
	var policy networkingv1.NetworkPolicy
	key := client.ObjectKey{Namespace: builders.Namespace, Name: "python-network-policy"}
	if err := w.store.Get(t.Context(), key, &policy); err != nil {
		t.Fatal(err)
	}
	w.onWrite = func(_ string, do func() error) error { // between the observation and the deletion
		w.onWrite = nil
		w.settle(newTemplate(builders.WithUID("new-uid")))
		return do()
	}
	if result, err := remover.Reconcile(t.Context(), &policy); err != nil || result.RequeueAfter != waits.Conflict {
		t.Errorf("again in %s, %v", result.RequeueAfter, err)
	}
	if err := w.store.Get(t.Context(), key, &policy); err != nil ||
		policy.Annotations["agents.x-k8s.io/sandbox-template-uid"] != "new-uid" {
		t.Errorf("the policy is %+v, %v", policy.ObjectMeta, err)
	}
}

func TestThePolicyOfATemplateThatWentIsLookedAtLater(t *testing.T) {
	queue := &delayQueue{}
	enqueueDeleted().Delete(t.Context(), event.DeleteEvent{Object: newTemplate()}, queue)
	if queue.name != "python-network-policy" || queue.in != waits.Blocked {
		t.Errorf("%s in %s", queue.name, queue.in)
	}
	if got := requestsForPolicy(t.Context(), newPolicy(nil)); len(got) != 1 || got[0].Name != "python" {
		t.Errorf("the policy is of %v", got)
	}
}

// delayQueue is a work queue that records what is added with a delay.
type delayQueue struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]

	name string
	in   time.Duration
}

func (l *delayQueue) AddAfter(request reconcile.Request, in time.Duration) {
	l.name, l.in = request.Name, in
}
