// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"maps"
	"slices"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
)

type workQueue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// claimHandler enqueues claims. Before it enqueues one that has no Sandbox yet it tells the gate, so that the gate
// knows of claims that are queued. It forgets deleted claims, and does not enqueue them.
type claimHandler struct {
	handler.EnqueueRequestForObject

	reconciler *Reconciler
}

// Create implements handler.EventHandler.
func (h *claimHandler) Create(ctx context.Context, e event.CreateEvent, queue workQueue) {
	h.reconciler.claimArrived(e.Object)
	h.EnqueueRequestForObject.Create(ctx, e, queue)
}

// Update implements handler.EventHandler.
func (h *claimHandler) Update(ctx context.Context, e event.UpdateEvent, queue workQueue) {
	h.reconciler.claimArrived(e.ObjectNew)
	h.EnqueueRequestForObject.Update(ctx, e, queue)
}

// Delete implements handler.EventHandler.
func (h *claimHandler) Delete(_ context.Context, e event.DeleteEvent, _ workQueue) {
	h.reconciler.memory.Forget(e.Object.GetUID())
	h.reconciler.gate.ClaimServed(e.Object.GetUID())
}

// claimArrived tells the gate of a claim that waits for its first Sandbox.
func (r *Reconciler) claimArrived(object client.Object) {
	claim, ok := object.(*extensionsv1beta1.SandboxClaim)
	if ok && claim.DeletionTimestamp == nil && claim.Status.SandboxStatus.Name == "" && !isExpired(claim) {
		r.firstObserved(claim)
		r.memory.RecordArrival(claim.UID, r.clock.Now())
		r.gate.ClaimArrived(claim.UID)
	}
}

// sandboxHandler updates the queue of warm Sandboxes and the memory from the watch. It triggers no reconcile, because
// claims do not wait for members.
func (r *Reconciler) sandboxHandler() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, _ workQueue) { r.sandboxObserved(e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, _ workQueue) { r.sandboxObserved(e.ObjectNew) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, _ workQueue) {
			r.queue.Remove(client.ObjectKeyFromObject(e.Object))
		},
	}
}

func (r *Reconciler) sandboxObserved(object client.Object) {
	sandbox, ok := object.(*agentsv1beta1.Sandbox)
	if !ok {
		return
	}
	if claim := owner.ControllerOf(sandbox, apis.KindSandboxClaim); claim != nil {
		r.memory.AdoptionObserved(claim.UID, sandbox.Name)
	}
	if member, ok := queueMember(sandbox); ok {
		r.queue.Put(member)
	} else {
		r.queue.Remove(client.ObjectKeyFromObject(sandbox))
	}
}

// claimsWaitingForTemplate returns the waiting claims that name the template, or a pool of it.
func (r *Reconciler) claimsWaitingForTemplate(ctx context.Context, template client.Object) []reconcile.Request {
	requests := r.listWaiting(ctx, template.GetNamespace(), templateIndex, template.GetName())
	var pools extensionsv1beta1.SandboxWarmPoolList
	err := r.client.List(ctx, &pools, client.InNamespace(template.GetNamespace()), client.UnsafeDisableDeepCopy)
	if err != nil {
		log.FromContext(ctx).Error(err, "The SandboxWarmPools of a template cannot be listed", "template", template.GetName())
		return requests
	}
	for i := range pools.Items {
		if pools.Items[i].Spec.TemplateRef.Name == template.GetName() {
			requests = append(requests, r.claimsWaitingForPool(ctx, &pools.Items[i])...)
		}
	}
	return requests
}

// enqueueClaimsOfTemplate enqueues the claims whose Sandboxes were made from a template when the metadata changes that
// Sandboxes inherit. It uses a low priority, because nobody waits for the result.
func (r *Reconciler) enqueueClaimsOfTemplate() handler.EventHandler {
	enqueue := func(ctx context.Context, object client.Object, queue workQueue) {
		template, ok := object.(*extensionsv1beta1.SandboxTemplate)
		byPriority, ok2 := queue.(priorityqueue.PriorityQueue[reconcile.Request])
		if ok && ok2 {
			byPriority.AddWithOpts(priorityqueue.AddOpts{Priority: new(handler.LowPriority)}, r.claimsMadeFrom(ctx, template)...)
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, queue workQueue) {
			if !e.IsInInitialList { // at the start every claim is reconciled anyway
				enqueue(ctx, e.Object, queue)
			}
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue workQueue) {
			before, ok := e.ObjectOld.(*extensionsv1beta1.SandboxTemplate)
			after, ok2 := e.ObjectNew.(*extensionsv1beta1.SandboxTemplate)
			if ok && ok2 && inheritedMetadataChanged(before, after) {
				enqueue(ctx, after, queue)
			}
		},
	}
}

// claimsMadeFrom returns the claims whose Sandboxes were made from the template.
func (r *Reconciler) claimsMadeFrom(
	ctx context.Context, template *extensionsv1beta1.SandboxTemplate,
) (requests []reconcile.Request) {
	var list agentsv1beta1.SandboxList
	if err := r.client.List(ctx, &list, client.InNamespace(template.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "The Sandboxes of a template cannot be listed", "template", template.Name)
		return nil
	}
	for i := range list.Items {
		if claim := owner.ControllerOf(&list.Items[i], apis.KindSandboxClaim); claim != nil &&
			isMadeFrom(&list.Items[i], template) {
			key := client.ObjectKey{Namespace: template.Namespace, Name: claim.Name}
			requests = append(requests, reconcile.Request{NamespacedName: key})
		}
	}
	return requests
}

// inheritedMetadataChanged reports whether Sandboxes and Pods inherit other labels or annotations than before.
func inheritedMetadataChanged(before, after *extensionsv1beta1.SandboxTemplate) bool {
	labelsBefore, annotationsBefore := sandboxspec.InheritedMetadata(before)
	labelsAfter, annotationsAfter := sandboxspec.InheritedMetadata(after)
	podBefore, podAfter := before.Spec.PodTemplate.ObjectMeta, after.Spec.PodTemplate.ObjectMeta
	return !maps.Equal(labelsBefore, labelsAfter) || !maps.Equal(annotationsBefore, annotationsAfter) ||
		!maps.Equal(podBefore.Labels, podAfter.Labels) || !maps.Equal(podBefore.Annotations, podAfter.Annotations)
}

// claimsWaitingForPool returns the waiting claims that name the pool.
func (r *Reconciler) claimsWaitingForPool(ctx context.Context, pool client.Object) []reconcile.Request {
	return r.listWaiting(ctx, pool.GetNamespace(), poolIndex, pool.GetName())
}

func (r *Reconciler) listWaiting(ctx context.Context, namespace, field, name string) []reconcile.Request {
	var claims extensionsv1beta1.SandboxClaimList
	err := r.client.List(
		ctx, &claims, client.InNamespace(namespace), client.MatchingFields{field: name}, client.UnsafeDisableDeepCopy,
	)
	if err != nil {
		log.FromContext(ctx).Error(err, "The waiting claims cannot be listed", field, name)
		return nil
	}
	var requests []reconcile.Request
	for i := range claims.Items {
		if isWaiting(&claims.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&claims.Items[i])})
		}
	}
	return requests
}

// isWaiting reports whether a change of a template or a pool may help the claim: it has no Sandbox, or its Ready
// condition shows a problem of the claim and not the state of its Sandbox.
func isWaiting(claim *extensionsv1beta1.SandboxClaim) bool {
	if claim.DeletionTimestamp != nil {
		return false
	}
	ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady)
	if ready == nil || claim.Status.SandboxStatus.Name == "" {
		return !isExpired(claim)
	}
	return slices.Contains([]apis.Reason{
		apis.ReasonTemplateNotFound, apis.ReasonWarmPoolNotFound, apis.ReasonInvalidMetadata,
		apis.ReasonEnvVarsInjectionRejected, apis.ReasonVolumeClaimTemplatesError,
		apis.ReasonSandboxMissing, apis.ReasonReconcilerError,
	}, apis.Reason(ready.Reason))
}
