// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package volume

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/ratelimiter"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
)

// +kubebuilder:rbac:groups=agents.x-k8s.io,resources=sandboxes,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;watch;patch

// SetupWithManager registers the reconciler. The tracer records each reconcile. One worker is enough: volumes are
// annotated rarely.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, tracer *tracing.Tracer) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("volume").
		For(&corev1.PersistentVolumeClaim{}, builder.WithPredicates(predicate.NewPredicateFuncs(needsReconcile))).
		Watches(&agentsv1beta1.Sandbox{}, handler.EnqueueRequestsFromMapFunc(volumesOfDeleted),
			builder.WithPredicates(deletionsOnly())).
		WithOptions(controller.Options{MaxConcurrentReconciles: 1, RateLimiter: ratelimiter.New()}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.TraceReconciler(tracer, "ReconcileVolume", r)))
}

// needsReconcile lets through the volumes that may have to be annotated.
func needsReconcile(object client.Object) bool {
	volume, ok := object.(*corev1.PersistentVolumeClaim)
	return ok && lacksUnusedSince(volume)
}

// deletionsOnly lets through only the deletion of a Sandbox.
func deletionsOnly() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// volumesOfDeleted maps a deleted Sandbox to its volumes.
func volumesOfDeleted(_ context.Context, object client.Object) []reconcile.Request {
	sandbox, ok := object.(*agentsv1beta1.Sandbox)
	if !ok {
		return nil
	}
	var requests []reconcile.Request
	for _, name := range volumeNames(sandbox) {
		key := types.NamespacedName{Namespace: sandbox.Namespace, Name: name}
		requests = append(requests, reconcile.Request{NamespacedName: key})
	}
	return requests
}
