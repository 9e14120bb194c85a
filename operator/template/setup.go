// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/retry"
	"github.com/agent-sandbox/kubectl-sandbox/operator/tracing"
)

// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxtemplates/finalizers,verbs=update
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=sandboxtemplates.extensions.agents.x-k8s.io

// CacheByObject limits the manager's cache to policies that carry our label.
func CacheByObject() (map[client.Object]cache.ByObject, error) {
	labelled, err := labels.NewRequirement(apis.LabelSandboxTemplateRefHash, selection.Exists, nil)
	if err != nil {
		return nil, fmt.Errorf("label selector: %w", err)
	}
	return map[client.Object]cache.ByObject{
		&networkingv1.NetworkPolicy{}: {Label: labels.NewSelector().Add(*labelled)},
	}, nil
}

// SetupWithManager registers the reconciler with that many workers, whose passes are traced.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, workers int, tracer *tracing.Tracer) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("sandboxtemplate").
		For(&v1beta1.SandboxTemplate{}, builder.WithPredicates(retry.OrResync(predicate.GenerationChangedPredicate{}))).
		Owns(&networkingv1.NetworkPolicy{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, RateLimiter: retry.Limiter()}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.Around(tracer, "ReconcileSandboxTemplate", r)))
}
