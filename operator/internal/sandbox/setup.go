// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/predicates"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/ratelimiter"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
)

// +kubebuilder:rbac:groups=agents.x-k8s.io,resources=sandboxes,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=agents.x-k8s.io,resources=sandboxes/status,verbs=patch
// +kubebuilder:rbac:groups=agents.x-k8s.io,resources=sandboxes/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=pods;services,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=events,verbs=list

// SetupWithManager registers the reconciler, with the given number of workers. The tracer records each reconcile.
func (r *Reconciler) SetupWithManager(
	ctx context.Context, mgr ctrl.Manager, workers int, tracer *tracing.Tracer,
) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &corev1.Pod{}, ownerUIDIndex, controllerUID); err != nil {
		return fmt.Errorf("index Pods by owner: %w", err)
	}
	ofOwner := handler.EnqueueRequestForOwner(
		mgr.GetScheme(), mgr.GetRESTMapper(), &agentsv1beta1.Sandbox{}, handler.OnlyControllerOwner())
	return ctrl.NewControllerManagedBy(mgr).
		Named("sandbox").
		Watches(&agentsv1beta1.Sandbox{}, &sandboxHandler{gate: r.gate},
			builder.WithPredicates(predicates.OrResync(specChanged()))).
		Watches(&corev1.Pod{}, ofOwner, builder.WithPredicates(podStatusChanged())).
		Watches(&corev1.Service{}, ofOwner, builder.WithPredicates(childChanged())).
		Watches(&corev1.PersistentVolumeClaim{}, ofOwner, builder.WithPredicates(childChanged())).
		Watches(&corev1.PersistentVolumeClaim{}, handler.EnqueueRequestsFromMapFunc(sandboxOfVolume),
			builder.WithPredicates(childChanged())).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers, RateLimiter: ratelimiter.New(), NewQueue: r.newQueue,
		}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.TraceReconciler(tracer, "ReconcileSandbox", r)))
}

// sandboxOfVolume maps a volume without a controller, which outlives its Sandbox, to that Sandbox.
func sandboxOfVolume(_ context.Context, volume client.Object) []reconcile.Request {
	name := volume.GetAnnotations()[apis.AnnotationAssignedSandboxName]
	if name == "" || metav1.GetControllerOfNoCopy(volume) != nil {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: volume.GetNamespace(), Name: name}}}
}

// specChanged lets through changes of spec and metadata. The operator's own status writes trigger no reconcile.
func specChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		was, is := e.ObjectOld, e.ObjectNew
		return was.GetGeneration() != is.GetGeneration() || metadataChanged(was, is)
	}}
}

// podStatusChanged lets through Pods whose change affects the Sandbox's status, and changes of metadata, which the
// operator repairs. Deletions always pass. A new Pod without a status triggers no reconcile, because the reconcile that
// created it has reported it. A node name alone does not trigger one either.
func podStatusChanged() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			pod, ok := e.Object.(*corev1.Pod)
			return !ok || pod.DeletionTimestamp != nil || len(pod.Status.PodIPs) > 0 ||
				podMessages(pod) != podMessages(&corev1.Pod{})
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, wasPod := e.ObjectOld.(*corev1.Pod)
			is, isPod := e.ObjectNew.(*corev1.Pod)
			return !wasPod || !isPod || metadataChanged(was, is) || podMessages(was) != podMessages(is) ||
				!slices.Equal(was.Status.PodIPs, is.Status.PodIPs)
		},
	}
}

// podMessages returns everything that a status says about a Pod.
func podMessages(pod *corev1.Pod) string {
	_, _, finished := finishedCondition(pod)
	_, message := podReadiness(pod, "")
	return finished + message
}

// childChanged lets through changes of metadata and of a Service's spec.
func childChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		if metadataChanged(e.ObjectOld, e.ObjectNew) {
			return true
		}
		was, wasService := e.ObjectOld.(*corev1.Service)
		is, isService := e.ObjectNew.(*corev1.Service)
		return wasService && isService && !equality.Semantic.DeepEqual(was.Spec, is.Spec)
	}}
}

func metadataChanged(was, is metav1.Object) bool {
	return was.GetUID() != is.GetUID() ||
		(was.GetDeletionTimestamp() == nil) != (is.GetDeletionTimestamp() == nil) ||
		!maps.Equal(was.GetLabels(), is.GetLabels()) ||
		!maps.Equal(was.GetAnnotations(), is.GetAnnotations()) ||
		!equality.Semantic.DeepEqual(was.GetOwnerReferences(), is.GetOwnerReferences())
}
