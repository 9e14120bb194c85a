// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// updateQueue keeps the queue of warm Sandboxes in step with what the watch shows. It wakes nobody: a claim never waits for a member.
func updateQueue(queue *warmqueue.Queue) handler.EventHandler {
	type wakes = workqueue.TypedRateLimitingInterface[reconcile.Request]
	show := func(object client.Object) {
		sandbox, ok := object.(*agentsv1beta1.Sandbox)
		if !ok {
			return
		}
		if member, ok := queueMember(sandbox); ok {
			queue.Put(member)
		} else {
			queue.Remove(client.ObjectKeyFromObject(sandbox))
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, _ wakes) { show(e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, _ wakes) { show(e.ObjectNew) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, _ wakes) {
			queue.Remove(client.ObjectKeyFromObject(e.Object))
		},
	}
}

// claimsWaitingForTemplate lists the claims that wait for the template: those that name it, and those that name a pool of it.
func (r *Reconciler) claimsWaitingForTemplate(ctx context.Context, template client.Object) []reconcile.Request {
	requests := r.listWaiting(ctx, template.GetNamespace(), templateIndex, template.GetName())
	var pools extensionsv1beta1.SandboxWarmPoolList
	if err := r.client.List(ctx, &pools, client.InNamespace(template.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "list SandboxWarmPools of a template", "template", template.GetName())
		return requests
	}
	for i := range pools.Items {
		if pools.Items[i].Spec.TemplateRef.Name == template.GetName() {
			requests = append(requests, r.claimsWaitingForPool(ctx, &pools.Items[i])...)
		}
	}
	return requests
}

// enqueueClaimsOfTemplate wakes the claims whose Sandboxes were made from a template whose metadata moved: behind all other claims, for nobody waits.
func (r *Reconciler) enqueueClaimsOfTemplate() handler.EventHandler {
	type wakes = workqueue.TypedRateLimitingInterface[reconcile.Request]
	wake := func(ctx context.Context, object client.Object, queue wakes) {
		template, ok := object.(*extensionsv1beta1.SandboxTemplate)
		lanes, ok2 := queue.(priorityqueue.PriorityQueue[reconcile.Request])
		if ok && ok2 {
			lanes.AddWithOpts(priorityqueue.AddOpts{Priority: new(handler.LowPriority)}, r.claimsMadeFrom(ctx, template)...)
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, queue wakes) {
			if !e.IsInInitialList { // when the operator starts every claim is looked at anyway
				wake(ctx, e.Object, queue)
			}
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue wakes) {
			was, ok := e.ObjectOld.(*extensionsv1beta1.SandboxTemplate)
			is, ok2 := e.ObjectNew.(*extensionsv1beta1.SandboxTemplate)
			if ok && ok2 && inheritedMetadataChanged(was, is) {
				wake(ctx, is, queue)
			}
		},
	}
}

// claimsMadeFrom are the claims whose Sandboxes were made from the template.
func (r *Reconciler) claimsMadeFrom(ctx context.Context, template *extensionsv1beta1.SandboxTemplate) (requests []reconcile.Request) {
	var list agentsv1beta1.SandboxList
	if err := r.client.List(ctx, &list, client.InNamespace(template.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "list Sandboxes of a template", "template", template.Name)
		return nil
	}
	for i := range list.Items {
		if holder := metav1.GetControllerOfNoCopy(&list.Items[i]); holder != nil && isClaim(holder) && isMadeFrom(&list.Items[i], template) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: template.Namespace, Name: holder.Name}})
		}
	}
	return requests
}

// inheritedMetadataChanged says whether a template hands on other labels or annotations than before.
func inheritedMetadataChanged(was, is *extensionsv1beta1.SandboxTemplate) bool {
	labelsThen, annotationsThen := sandboxspec.InheritedMetadata(was)
	labelsNow, annotationsNow := sandboxspec.InheritedMetadata(is)
	podThen, podNow := was.Spec.PodTemplate.ObjectMeta, is.Spec.PodTemplate.ObjectMeta
	return !maps.Equal(labelsThen, labelsNow) || !maps.Equal(annotationsThen, annotationsNow) ||
		!maps.Equal(podThen.Labels, podNow.Labels) || !maps.Equal(podThen.Annotations, podNow.Annotations)
}

// claimsWaitingForPool lists the claims that wait for the pool by its name.
func (r *Reconciler) claimsWaitingForPool(ctx context.Context, pool client.Object) []reconcile.Request {
	return r.listWaiting(ctx, pool.GetNamespace(), poolIndex, pool.GetName())
}

func (r *Reconciler) listWaiting(ctx context.Context, namespace, field, name string) []reconcile.Request {
	var claims extensionsv1beta1.SandboxClaimList
	err := r.client.List(ctx, &claims, client.InNamespace(namespace), client.MatchingFields{field: name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		log.FromContext(ctx).Error(err, "list the claims that wait", field, name)
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

// isWaiting says whether a change of a template or a pool may help the claim: it has nothing of a Sandbox to show yet, or what it
// shows is of its own making.
func isWaiting(claim *extensionsv1beta1.SandboxClaim) bool {
	if claim.DeletionTimestamp != nil {
		return false
	}
	ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady)
	if ready == nil || claim.Status.SandboxStatus.Name == "" {
		return !isExpired(claim)
	}
	return slices.Contains([]apis.Reason{
		apis.ReasonTemplateNotFound, apis.ReasonWarmPoolNotFound, apis.ReasonInvalidMetadata, apis.ReasonEnvVarsInjectionRejected,
		apis.ReasonVolumeClaimTemplatesError, apis.ReasonSandboxMissing, apis.ReasonReconcilerError,
	}, apis.Reason(ready.Reason))
}
