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
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
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

// Indexes of claims by what they refer to.
const (
	templateIndex = "spec.templateName"
	poolIndex     = "spec.poolName"
)

// SetupWithManager registers the reconciler with the given number of workers and traces its reconciles.
func (r *Reconciler) SetupWithManager(
	ctx context.Context, mgr ctrl.Manager, workers int, tracer *tracing.Tracer,
) error {
	indexes := []struct {
		object client.Object
		field  string
		values client.IndexerFunc
	}{
		{&agentsv1beta1.Sandbox{}, claimUIDIndex, claimUIDOf},
		{&extensionsv1beta1.SandboxClaim{}, templateIndex, indexBy((*extensionsv1beta1.SandboxClaimSpec).TemplateName)},
		{&extensionsv1beta1.SandboxClaim{}, poolIndex, indexBy((*extensionsv1beta1.SandboxClaimSpec).PoolName)},
	}
	for _, index := range indexes {
		if err := mgr.GetFieldIndexer().IndexField(ctx, index.object, index.field, index.values); err != nil {
			return fmt.Errorf("index %T by %s: %w", index.object, index.field, err)
		}
	}
	leads := func(context.Context) error { r.recordLeading(r.clock.Now()); return nil }
	if err := mgr.Add(manager.RunnableFunc(leads)); err != nil { // it runs when this process begins to lead
		return fmt.Errorf("add the start of the leadership: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("sandboxclaim").
		Watches(&extensionsv1beta1.SandboxClaim{}, &claimHandler{reconciler: r},
			builder.WithPredicates(predicates.OrResync(claimSpecChanged()))).
		Watches(&agentsv1beta1.Sandbox{}, handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(),
			&extensionsv1beta1.SandboxClaim{}, handler.OnlyControllerOwner()), builder.WithPredicates(sandboxChanged())).
		Watches(&agentsv1beta1.Sandbox{}, r.sandboxHandler()).
		Watches(&extensionsv1beta1.SandboxTemplate{},
			handler.EnqueueRequestsFromMapFunc(r.claimsWaitingForTemplate), builder.WithPredicates(specChanged())).
		Watches(&extensionsv1beta1.SandboxTemplate{}, r.enqueueClaimsOfTemplate()).
		Watches(&extensionsv1beta1.SandboxWarmPool{},
			handler.EnqueueRequestsFromMapFunc(r.claimsWaitingForPool), builder.WithPredicates(specChanged())).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, RateLimiter: ratelimiter.New()}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), tracing.TraceReconciler(tracer, "ReconcileSandboxClaim", r)))
}

// indexBy returns an index function that indexes claims by a name in their spec.
func indexBy(name func(*extensionsv1beta1.SandboxClaimSpec) string) client.IndexerFunc {
	return func(object client.Object) []string {
		if claim, ok := object.(*extensionsv1beta1.SandboxClaim); ok && name(&claim.Spec) != "" {
			return []string{name(&claim.Spec)}
		}
		return nil
	}
}

// claimSpecChanged passes changes of the spec, and edits of the recorded name, which the operator repairs. Its own
// writes trigger no reconcile.
func claimSpecChanged() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			if specChanged().Update(e) {
				return true
			}
			before, ok := e.ObjectOld.(*extensionsv1beta1.SandboxClaim)
			after, ok2 := e.ObjectNew.(*extensionsv1beta1.SandboxClaim)
			return ok && ok2 && before.AssignedSandbox() != "" &&
				(before.Annotations[apis.AnnotationAssignedSandboxName] != after.Annotations[apis.AnnotationAssignedSandboxName] ||
					before.Labels[apis.LabelAssignedSandboxName] != after.Labels[apis.LabelAssignedSandboxName])
		},
	}
}

// specChanged passes changes of the spec and the start of a deletion. Status writes, such as a pool's counts, do not
// pass.
func specChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return predicates.SpecChanged().Update(e) ||
			(e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil)
	}}
}

// sandboxChanged passes changes that the claim's status shows, and edits that the operator repairs. The adoption itself
// does not pass, because the reconcile that adopts also reports.
func sandboxChanged() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			sandbox, ok := e.Object.(*agentsv1beta1.Sandbox)
			return ok && len(sandbox.Status.Conditions) > 0 // without conditions it is the one just created
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, ok := e.ObjectOld.(*agentsv1beta1.Sandbox)
			after, ok2 := e.ObjectNew.(*agentsv1beta1.Sandbox)
			return ok && ok2 && (!sameShownStatus(before, after) || identityEdited(before, after))
		},
	}
}

// sameShownStatus reports whether a claim's status shows both states of its Sandbox alike.
func sameShownStatus(before, after *agentsv1beta1.Sandbox) bool {
	if before.UID != after.UID || (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) ||
		!slices.Equal(before.Status.PodIPs, after.Status.PodIPs) {
		return false
	}
	for _, kind := range []apis.ConditionType{apis.ConditionReady, apis.ConditionFinished} {
		a, b := apis.FindCondition(before.Status.Conditions, kind), apis.FindCondition(after.Status.Conditions, kind)
		if (a == nil) != (b == nil) ||
			(a != nil && (a.Status != b.Status || a.Reason != b.Reason || a.Message != b.Message)) {
			return false
		}
	}
	return true
}

// identityEdited reports whether somebody edited what connects a claimed Sandbox with its claim and its NetworkPolicy.
func identityEdited(before, after *agentsv1beta1.Sandbox) bool {
	claim := owner.ControllerOf(before, apis.KindSandboxClaim)
	if claim == nil {
		return false
	}
	controller := metav1.GetControllerOfNoCopy(after)
	return controller == nil || controller.UID != claim.UID ||
		before.Labels[apis.LabelClaimUID] != after.Labels[apis.LabelClaimUID] ||
		before.Labels[apis.LabelSandboxTemplateRefHash] != after.Labels[apis.LabelSandboxTemplateRefHash] ||
		before.Annotations[apis.AnnotationTemplateRef] != after.Annotations[apis.AnnotationTemplateRef]
}
