// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/predicates"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/ratelimiter"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=agents.x-k8s.io,resources=sandboxes,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=sandboxtemplates.extensions.agents.x-k8s.io

// CacheByObject limits the manager's cache to policies that have the operator's label.
func CacheByObject() (map[client.Object]cache.ByObject, error) {
	labelled, err := labels.NewRequirement(apis.LabelSandboxTemplateRefHash, selection.Exists, nil)
	if err != nil {
		return nil, fmt.Errorf("label selector: %w", err)
	}
	return map[client.Object]cache.ByObject{
		&networkingv1.NetworkPolicy{}: {Label: labels.NewSelector().Add(*labelled)},
	}, nil
}

// SetupWithManager registers the reconciler with the given number of workers and traces its reconciles.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, workers int, tracer *tracing.Tracer) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("sandboxtemplate").
		For(&extensionsv1beta1.SandboxTemplate{}, builder.WithPredicates(predicates.OrResync(predicates.SpecChanged()))).
		Watches(&networkingv1.NetworkPolicy{}, handler.EnqueueRequestsFromMapFunc(requestsForPolicy)).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, RateLimiter: ratelimiter.New()}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.TraceReconciler(tracer, "ReconcileSandboxTemplate", r)))
}

// requestsForPolicy returns a request for the template that the policy belongs to by its name.
func requestsForPolicy(_ context.Context, policy client.Object) []reconcile.Request {
	name, ok := naming.TemplateOf(policy.GetName())
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: policy.GetNamespace(), Name: name}}}
}

// SetupWithManager registers the remover and traces its reconciles. One worker is enough, because templates are rarely
// deleted.
func (r *Remover) SetupWithManager(mgr ctrl.Manager, tracer *tracing.Tracer) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("networkpolicy").
		For(&networkingv1.NetworkPolicy{}, builder.WithPredicates(predicates.OrResync(ofTemplate()))).
		Watches(&extensionsv1beta1.SandboxTemplate{}, enqueueDeleted()).
		WithOptions(controller.Options{MaxConcurrentReconciles: 1, RateLimiter: ratelimiter.New()}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.TraceReconciler(tracer, "ReconcileNetworkPolicy", r)))
}

// ofTemplate passes events about policies of templates.
func ofTemplate() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(o client.Object) bool {
		policy, ok := o.(*networkingv1.NetworkPolicy)
		return ok && isTemplatePolicy(policy)
	})
}

type workQueue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// enqueueDeleted enqueues the policy of a deleted template. The delay lets creations of Sandboxes of the template that
// are in flight finish.
func enqueueDeleted() handler.EventHandler {
	return handler.Funcs{
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, queue workQueue) {
			key := client.ObjectKey{Namespace: e.Object.GetNamespace(), Name: naming.NetworkPolicy(e.Object.GetName())}
			queue.AddAfter(reconcile.Request{NamespacedName: key}, waits.Blocked)
		},
	}
}
