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
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
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

// CacheByObject limits the manager's cache to children that carry our label: other Pods of the cluster cost nothing.
func CacheByObject() (map[client.Object]cache.ByObject, error) {
	labelled, err := labels.NewRequirement(apis.LabelSandboxNameHash, selection.Exists, nil)
	if err != nil {
		return nil, fmt.Errorf("label selector: %w", err)
	}
	by := cache.ByObject{Label: labels.NewSelector().Add(*labelled)}
	return map[client.Object]cache.ByObject{
		&corev1.Pod{}: by, &corev1.Service{}: by, &corev1.PersistentVolumeClaim{}: by,
	}, nil
}

// SetupWithManager registers the reconciler with that many workers, whose passes are traced.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager, workers int, tracer *tracing.Tracer) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &corev1.Pod{}, ownerUIDIndex, controllerUID); err != nil {
		return fmt.Errorf("index Pods by owner: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("sandbox").
		For(&agentsv1beta1.Sandbox{}, builder.WithPredicates(predicates.OrResync(specChanged()))).
		Owns(&corev1.Pod{}, builder.WithPredicates(podStatusChanged())).
		Owns(&corev1.Service{}, builder.WithPredicates(childChanged())).
		Owns(&corev1.PersistentVolumeClaim{}, builder.WithPredicates(childChanged())).
		Watches(&corev1.PersistentVolumeClaim{}, handler.EnqueueRequestsFromMapFunc(sandboxOfVolume), builder.WithPredicates(childChanged())).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, RateLimiter: ratelimiter.New(), NewQueue: r.newQueue}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.TraceReconciler(tracer, "ReconcileSandbox", r)))
}

// sandboxOfVolume is the Sandbox that a volume without an owner is of.
func sandboxOfVolume(_ context.Context, volume client.Object) []reconcile.Request {
	name := volume.GetAnnotations()[apis.AnnotationAssignedSandboxName]
	if name == "" || metav1.GetControllerOfNoCopy(volume) != nil {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: volume.GetNamespace(), Name: name}}}
}

// specChanged lets through what changes what is asked for; our own status writes do not wake us.
func specChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		was, is := e.ObjectOld, e.ObjectNew
		return was.GetGeneration() != is.GetGeneration() || metadataChanged(was, is)
	}}
}

// podStatusChanged lets through what a status would be written for, and what we repair. A Pod that appears without news is the one that the
// pass which made it has reported already; the node's name comes along with other changes.
func podStatusChanged() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			pod, ok := e.Object.(*corev1.Pod)
			return !ok || pod.DeletionTimestamp != nil || podMessages(pod) != podMessages(&corev1.Pod{}) || len(pod.Status.PodIPs) > 0
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, ok := e.ObjectOld.(*corev1.Pod)
			is, ok2 := e.ObjectNew.(*corev1.Pod)
			return !ok || !ok2 || metadataChanged(was, is) || podMessages(was) != podMessages(is) || !slices.Equal(was.Status.PodIPs, is.Status.PodIPs)
		},
	}
}

// podMessages is all that a status says of a Pod.
func podMessages(pod *corev1.Pod) string {
	_, _, ended := finishedCondition(pod)
	_, message := podReadiness(pod, "")
	return ended + message
}

// childChanged lets through changes of metadata and spec.
func childChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		if metadataChanged(e.ObjectOld, e.ObjectNew) {
			return true
		}
		was, ok := e.ObjectOld.(*corev1.Service)
		is, ok2 := e.ObjectNew.(*corev1.Service)
		return ok && ok2 && !equality.Semantic.DeepEqual(was.Spec, is.Spec)
	}}
}

func metadataChanged(was, is metav1.Object) bool {
	return was.GetUID() != is.GetUID() ||
		(was.GetDeletionTimestamp() == nil) != (is.GetDeletionTimestamp() == nil) ||
		!maps.Equal(was.GetLabels(), is.GetLabels()) ||
		!maps.Equal(was.GetAnnotations(), is.GetAnnotations()) ||
		!equality.Semantic.DeepEqual(was.GetOwnerReferences(), is.GetOwnerReferences())
}
