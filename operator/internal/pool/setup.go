// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/predicates"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/ratelimiter"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
)

// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxwarmpools;sandboxtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxwarmpools/status,verbs=patch
// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxwarmpools/finalizers,verbs=update
// +kubebuilder:rbac:groups=agents.x-k8s.io,resources=sandboxes,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=sandboxwarmpools.extensions.agents.x-k8s.io

// wakeDelay gathers what happens to the members of one pool into one pass.
const wakeDelay = 50 * time.Millisecond

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// SetupWithManager registers the reconciler with that many workers, whose passes are traced.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager, workers int, tracer *tracing.Tracer) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &agentsv1beta1.Sandbox{}, membershipIndex, indexMembership); err != nil {
		return fmt.Errorf("index Sandboxes by pool: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("sandboxwarmpool").
		For(&extensionsv1beta1.SandboxWarmPool{}, builder.WithPredicates(predicates.OrResync(predicates.SpecChanged()))).
		Watches(&agentsv1beta1.Sandbox{}, r.memberHandler()).
		Watches(&extensionsv1beta1.SandboxTemplate{}, handler.EnqueueRequestsFromMapFunc(r.poolsUsingTemplate),
			builder.WithPredicates(predicates.SpecChanged())).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, RateLimiter: ratelimiter.New()}).
		Complete(tracing.TraceRequests(tracer, "ReconcileSandboxWarmPool", r))
}

// poolsUsingTemplate lists the pools of a template. There are few pools in a namespace.
func (r *Reconciler) poolsUsingTemplate(ctx context.Context, template client.Object) []reconcile.Request {
	return r.poolsMatching(ctx, template.GetNamespace(), func(pool *extensionsv1beta1.SandboxWarmPool) bool {
		return pool.Spec.TemplateRef.Name == template.GetName()
	})
}

func (r *Reconciler) poolsMatching(ctx context.Context, namespace string, which func(*extensionsv1beta1.SandboxWarmPool) bool) []reconcile.Request {
	var list extensionsv1beta1.SandboxWarmPoolList
	if err := r.client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "list pools")
		return nil
	}
	var all []reconcile.Request
	for i := range list.Items {
		if which(&list.Items[i]) {
			all = append(all, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return all
}

// memberHandler wakes pools when their members change in a way that a pool cares about, and keeps the memory up to date.
func (r *Reconciler) memberHandler() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { r.memberChanged(ctx, nil, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			r.memberChanged(ctx, e.ObjectOld, e.ObjectNew, q)
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { r.memberChanged(ctx, e.Object, nil, q) },
	}
}

// memberChanged compares a Sandbox before and after; nil is one that is not there.
func (r *Reconciler) memberChanged(ctx context.Context, before, after client.Object, q queue) {
	was, _ := before.(*agentsv1beta1.Sandbox)
	is, _ := after.(*agentsv1beta1.Sandbox)
	var old, now *metav1.OwnerReference
	if was != nil {
		old = poolOf(was)
	}
	if is != nil {
		now = poolOf(is)
	}
	if is == nil {
		r.expectations.CreationObserved(client.ObjectKeyFromObject(was))
	} else if metav1.GetControllerOfNoCopy(is) != nil {
		r.expectations.CreationObserved(client.ObjectKeyFromObject(is))
	}
	left := old != nil && (now == nil || now.UID != old.UID)
	if left && is != nil && controllerOf(is, apis.KindSandboxClaim) != nil {
		r.expectations.RecordAdoption(old.UID, r.clock.Now())
	}
	if left {
		enqueue(q, was.Namespace, old.Name)
	}
	if now != nil && (old == nil || old.UID != now.UID || affectsPool(was, is)) {
		enqueue(q, is.Namespace, now.Name)
	}
	if is != nil && metav1.GetControllerOfNoCopy(is) == nil {
		r.enqueueForOrphan(ctx, was, is, q)
	}
}

// enqueueForOrphan wakes the pool whose label a Sandbox without a controller carries, when it has come to that.
func (r *Reconciler) enqueueForOrphan(ctx context.Context, was, is *agentsv1beta1.Sandbox, q queue) {
	hash := is.Labels[apis.LabelWarmPoolSandbox]
	known := was != nil && metav1.GetControllerOfNoCopy(was) == nil && !labelsChanged(was, is)
	if hash == "" || known {
		return
	}
	for _, request := range r.poolsMatching(ctx, is.Namespace, func(p *extensionsv1beta1.SandboxWarmPool) bool { return naming.Hash(p.Name) == hash }) {
		enqueue(q, request.Namespace, request.Name)
	}
}

func enqueue(q queue, namespace, pool string) {
	q.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: pool}}, wakeDelay)
}

// affectsPool says whether a pool would decide or report otherwise.
func affectsPool(was, is *agentsv1beta1.Sandbox) bool {
	return ready(was) != ready(is) || finished(was) != finished(is) || labelsChanged(was, is) ||
		(was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil)
}

func labelsChanged(was, is *agentsv1beta1.Sandbox) bool {
	for _, key := range [...]string{apis.LabelWarmPoolSandbox, apis.LabelSandboxTemplateRefHash, apis.LabelSandboxPodTemplateHash} {
		if was.Labels[key] != is.Labels[key] {
			return true
		}
	}
	return false
}
