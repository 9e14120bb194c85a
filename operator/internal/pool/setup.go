// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"

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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxwarmpools;sandboxtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxwarmpools/status,verbs=patch
// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxwarmpools/finalizers,verbs=update
// +kubebuilder:rbac:groups=agents.x-k8s.io,resources=sandboxes,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=sandboxwarmpools.extensions.agents.x-k8s.io

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// SetupWithManager registers the reconciler with a number of workers. tracer traces its reconciles.
func (r *Reconciler) SetupWithManager(
	ctx context.Context, mgr ctrl.Manager, workers int, tracer *tracing.Tracer,
) error {
	indexer := mgr.GetFieldIndexer()
	if err := indexer.IndexField(ctx, &agentsv1beta1.Sandbox{}, membershipIndex, indexMembership); err != nil {
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

// poolsUsingTemplate returns requests for the pools of a template.
func (r *Reconciler) poolsUsingTemplate(ctx context.Context, template client.Object) []reconcile.Request {
	return r.poolsMatching(ctx, template.GetNamespace(), func(pool *extensionsv1beta1.SandboxWarmPool) bool {
		return pool.Spec.TemplateRef.Name == template.GetName()
	})
}

// poolsMatching lists the pools of a namespace from the cache, without an index: there are few.
func (r *Reconciler) poolsMatching(
	ctx context.Context, namespace string, matches func(*extensionsv1beta1.SandboxWarmPool) bool,
) []reconcile.Request {
	var list extensionsv1beta1.SandboxWarmPoolList
	if err := r.client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "list pools")
		return nil
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if matches(&list.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return requests
}

// memberHandler enqueues pools whose members changed in a relevant way, and updates expectations.
func (r *Reconciler) memberHandler() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { r.memberChanged(ctx, nil, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			r.memberChanged(ctx, e.ObjectOld, e.ObjectNew, q)
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { r.memberChanged(ctx, e.Object, nil, q) },
	}
}

// memberChanged handles the change of a Sandbox. before is nil for a creation, after for a deletion.
func (r *Reconciler) memberChanged(ctx context.Context, before, after client.Object, q queue) {
	oldSandbox, _ := before.(*agentsv1beta1.Sandbox)
	newSandbox, _ := after.(*agentsv1beta1.Sandbox)
	var oldPool, newPool *metav1.OwnerReference
	if oldSandbox != nil {
		oldPool = poolOf(oldSandbox)
	}
	if newSandbox != nil {
		newPool = poolOf(newSandbox)
	}
	if newSandbox == nil {
		r.expectations.CreationObserved(client.ObjectKeyFromObject(oldSandbox))
	} else if metav1.GetControllerOfNoCopy(newSandbox) != nil {
		r.expectations.CreationObserved(client.ObjectKeyFromObject(newSandbox))
	}
	leftPool := oldPool != nil && (newPool == nil || newPool.UID != oldPool.UID)
	if leftPool {
		enqueue(q, oldSandbox.Namespace, oldPool.Name)
	}
	if newPool != nil && (oldPool == nil || oldPool.UID != newPool.UID || affectsPool(oldSandbox, newSandbox)) {
		enqueue(q, newSandbox.Namespace, newPool.Name)
	}
	if newSandbox != nil && metav1.GetControllerOfNoCopy(newSandbox) == nil {
		r.enqueueForOrphan(ctx, oldSandbox, newSandbox, q)
	}
}

// enqueueForOrphan enqueues the pool whose label a Sandbox without a controller carries, if the Sandbox is a new
// orphan.
func (r *Reconciler) enqueueForOrphan(ctx context.Context, before, after *agentsv1beta1.Sandbox, q queue) {
	hash := after.Labels[apis.LabelWarmPoolSandbox]
	known := before != nil && metav1.GetControllerOfNoCopy(before) == nil && !labelsChanged(before, after)
	if hash == "" || known {
		return
	}
	matches := func(pool *extensionsv1beta1.SandboxWarmPool) bool { return naming.Hash(pool.Name) == hash }
	for _, request := range r.poolsMatching(ctx, after.Namespace, matches) {
		enqueue(q, request.Namespace, request.Name)
	}
}

func enqueue(q queue, namespace, pool string) {
	q.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: pool}},
		waits.MemberEvents)
}

// affectsPool reports whether a change of a member can change the pool's plan or status.
func affectsPool(before, after *agentsv1beta1.Sandbox) bool {
	return isReady(before) != isReady(after) || isFinished(before) != isFinished(after) || labelsChanged(before, after) ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
}

// labelsChanged compares the labels that the pool maintains.
func labelsChanged(before, after *agentsv1beta1.Sandbox) bool {
	for _, key := range [...]string{
		apis.LabelWarmPoolSandbox, apis.LabelSandboxTemplateRefHash, apis.LabelSandboxPodTemplateHash,
	} {
		if before.Labels[key] != after.Labels[key] {
			return true
		}
	}
	return false
}
