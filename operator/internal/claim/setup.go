// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/predicates"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/ratelimiter"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
)

// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxclaims,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxclaims/status,verbs=patch
// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxclaims/finalizers,verbs=update
// +kubebuilder:rbac:groups=extensions.agents.x-k8s.io,resources=sandboxtemplates;sandboxwarmpools,verbs=get;list;watch
// +kubebuilder:rbac:groups=agents.x-k8s.io,resources=sandboxes,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=list
// +kubebuilder:rbac:groups="",resources=nodes,verbs=list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=sandboxclaims.extensions.agents.x-k8s.io

// Indexes over claims.
const (
	templateIndex = "spec.templateName"
	poolIndex     = "spec.poolName"
)

// SetupWithManager registers the reconciler with that many workers, whose passes are traced.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager, workers int, tracer *tracing.Tracer) error {
	indexes := []struct {
		object client.Object
		field  string
		values client.IndexerFunc
	}{
		{&agentsv1beta1.Sandbox{}, claimUIDIndex, claimUIDOf},
		{&extensionsv1beta1.SandboxClaim{}, templateIndex, indexBy(templateName)},
		{&extensionsv1beta1.SandboxClaim{}, poolIndex, indexBy(poolName)},
	}
	for _, index := range indexes {
		if err := mgr.GetFieldIndexer().IndexField(ctx, index.object, index.field, index.values); err != nil {
			return fmt.Errorf("index %T by %s: %w", index.object, index.field, err)
		}
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("sandboxclaim").
		For(&extensionsv1beta1.SandboxClaim{}, builder.WithPredicates(predicates.OrResync(claimSpecChanged()))).
		Owns(&agentsv1beta1.Sandbox{}, builder.WithPredicates(sandboxChanged())).
		Watches(&agentsv1beta1.Sandbox{}, updateQueue(r.queue)).
		Watches(&extensionsv1beta1.SandboxTemplate{}, handler.EnqueueRequestsFromMapFunc(r.claimsWaitingForTemplate), builder.WithPredicates(specChanged())).
		Watches(&extensionsv1beta1.SandboxTemplate{}, r.enqueueClaimsOfTemplate()).
		Watches(&extensionsv1beta1.SandboxWarmPool{}, handler.EnqueueRequestsFromMapFunc(r.claimsWaitingForPool), builder.WithPredicates(specChanged())).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, RateLimiter: ratelimiter.New()}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.TraceReconciler(tracer, "ReconcileSandboxClaim", r)))
}

// indexBy makes an index function of what a claim names.
func indexBy(name func(*extensionsv1beta1.SandboxClaim) string) client.IndexerFunc {
	return func(object client.Object) []string {
		if claim, ok := object.(*extensionsv1beta1.SandboxClaim); ok && name(claim) != "" {
			return []string{name(claim)}
		}
		return nil
	}
}

// claimSpecChanged lets through what changes what is asked for, and a record that was dropped. Our other writes do not wake us.
func claimSpecChanged() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			if specChanged().Update(e) {
				return true
			}
			was, ok := e.ObjectOld.(*extensionsv1beta1.SandboxClaim)
			is, ok2 := e.ObjectNew.(*extensionsv1beta1.SandboxClaim)
			return ok && ok2 && assignedName(was) != "" && assignedName(is) == ""
		},
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
}

// specChanged lets through a change of the spec and the beginning of the end; a pool's counts wake no claim.
func specChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		was, is := e.ObjectOld, e.ObjectNew
		return was.GetUID() != is.GetUID() || was.GetGeneration() != is.GetGeneration() ||
			(was.GetDeletionTimestamp() == nil) != (is.GetDeletionTimestamp() == nil)
	}}
}

// sandboxChanged lets through what a claim's status shows of its Sandbox, and what we repair. The hand-over itself shows
// nothing that the pass which did it does not know.
func sandboxChanged() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			sandbox, ok := e.Object.(*agentsv1beta1.Sandbox)
			return ok && len(sandbox.Status.Conditions) > 0 // one without is what we just created
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			was, ok := e.ObjectOld.(*agentsv1beta1.Sandbox)
			is, ok2 := e.ObjectNew.(*agentsv1beta1.Sandbox)
			return ok && ok2 && (!sameShownStatus(was, is) || identityEdited(was, is))
		},
	}
}

func sameShownStatus(was, is *agentsv1beta1.Sandbox) bool {
	if was.UID != is.UID || (was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil) ||
		!slices.Equal(was.Status.PodIPs, is.Status.PodIPs) {
		return false
	}
	for _, kind := range []apis.ConditionType{apis.ConditionReady, apis.ConditionFinished} {
		a, b := apis.FindCondition(was.Status.Conditions, kind), apis.FindCondition(is.Status.Conditions, kind)
		if (a == nil) != (b == nil) || (a != nil && (a.Status != b.Status || a.Reason != b.Reason || a.Message != b.Message)) {
			return false
		}
	}
	return true
}

// identityEdited says whether somebody edited what ties a claimed Sandbox to its claim and its NetworkPolicy.
func identityEdited(was, is *agentsv1beta1.Sandbox) bool {
	before := metav1.GetControllerOfNoCopy(was)
	if before == nil || !isClaim(before) {
		return false
	}
	return !controlledBy(is, before.UID) || was.Labels[apis.LabelClaimUID] != is.Labels[apis.LabelClaimUID] ||
		was.Labels[apis.LabelSandboxTemplateRefHash] != is.Labels[apis.LabelSandboxTemplateRefHash] ||
		was.Annotations[apis.AnnotationTemplateRef] != is.Annotations[apis.AnnotationTemplateRef]
}
