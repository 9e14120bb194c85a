// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

const (
	// membershipIndex indexes Sandboxes by the UID of the pool that controls them. Sandboxes without a controller are
	// indexed by orphanPrefix and the hash in the pool's label.
	membershipIndex = "metadata.warmPool"
	orphanPrefix    = "orphans/"
)

// indexMembership is the index function of membershipIndex.
func indexMembership(object client.Object) []string {
	if pool := poolOf(object); pool != nil {
		return []string{string(pool.UID)}
	}
	if hash := object.GetLabels()[apis.LabelWarmPoolSandbox]; hash != "" && metav1.GetControllerOfNoCopy(object) == nil {
		return []string{orphanPrefix + hash}
	}
	return nil
}

// observe reads the members, the orphans and the template. pending must have been read before: see
// expectations.GetExpectations.
func (r *Reconciler) observe(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, pending pendingWrites, now time.Time,
) (observed, error) {
	seen := observed{pending: pending, pods: map[types.UID]podState{}}
	var err error
	if seen.members, err = r.list(ctx, pool.Namespace, string(pool.UID)); err != nil {
		return seen, err
	}
	if seen.orphans, err = r.list(ctx, pool.Namespace, orphanPrefix+naming.Hash(pool.Name)); err != nil {
		return seen, err
	}
	r.expectations.MembersObserved(pool.UID, seen.members)
	for _, member := range seen.members {
		delete(seen.pending.creations, member.Name)
	}
	if err := r.expectUncachedMembers(ctx, pool, &seen, now); err != nil {
		return seen, err
	}
	if err := r.verifyOverdue(ctx, pool, &seen, now); err != nil {
		return seen, err
	}
	key := client.ObjectKey{Namespace: pool.Namespace, Name: pool.Spec.TemplateRef.Name}
	if seen.template, err = lookup.Get(ctx, r.client, key, &extensionsv1beta1.SandboxTemplate{}); err != nil {
		return seen, err
	}
	if seen.template != nil {
		seen.blueprintHash, seen.currentRevision = sandboxspec.BlueprintHash(seen.template),
			provenance.CurrentRevision(seen.template)
	}
	seen.contents = r.states.contentOf(pool.UID, seen.members, seen.orphans)
	seen.separateForeign(pool, r.states.recordRevision(pool.UID, seen.currentRevision))
	if err := r.observeAdoptions(ctx, pool, &seen); err != nil {
		return seen, err
	}
	return seen, r.observePods(ctx, &seen, now)
}

// list returns the cache's own objects, without copies: a pool of hundreds is listed several times a second.
func (r *Reconciler) list(ctx context.Context, namespace, indexValue string) ([]*agentsv1beta1.Sandbox, error) {
	var list agentsv1beta1.SandboxList
	err := r.client.List(ctx, &list,
		client.InNamespace(namespace), client.MatchingFields{membershipIndex: indexValue}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("list Sandboxes: %w", err)
	}
	all := make([]*agentsv1beta1.Sandbox, 0, len(list.Items))
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	return all, nil
}

// verifyOverdue asks the API server about writes that the cache does not show after waits.CacheLag: the watch may skip
// an object that exists only briefly, and the answer to a write may be lost.
func (r *Reconciler) verifyOverdue(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen *observed, now time.Time,
) error {
	for name, creation := range seen.pending.creations {
		if now.Sub(creation.since) < waits.CacheLag {
			continue
		}
		sandbox, err := r.getLive(ctx, pool.Namespace, name)
		if err != nil {
			return err
		}
		if sandbox != nil && controlledBy(sandbox, pool) {
			r.expectations.CreationConfirmed(pool.UID, name, now)
			continue
		}
		r.expectations.CreationFailed(pool.UID, name)
		delete(seen.pending.creations, name)
	}
	for _, member := range seen.members {
		since, deleted := seen.pending.deletions[member.UID]
		if !deleted || member.DeletionTimestamp != nil || now.Sub(since) < waits.CacheLag {
			continue
		}
		sandbox, err := r.getLive(ctx, pool.Namespace, member.Name)
		if err != nil {
			return err
		}
		if sandbox != nil && sandbox.UID == member.UID && sandbox.DeletionTimestamp == nil {
			r.expectations.DeletionFailed(pool.UID, member.UID)
			delete(seen.pending.deletions, member.UID)
			continue
		}
		r.expectations.ExpectDeletion(pool.UID, member.UID, now)
	}
	return nil
}

// getLive reads a Sandbox from the API server. It returns nil if the Sandbox does not exist.
func (r *Reconciler) getLive(ctx context.Context, namespace, name string) (*agentsv1beta1.Sandbox, error) {
	return lookup.Get(ctx, r.live, client.ObjectKey{Namespace: namespace, Name: name}, &agentsv1beta1.Sandbox{})
}

// observePods examines the Pods of members that are not Ready: first at the age of waits.MemberStart, because most only
// start, then periodically, because changes of Pods trigger no reconcile of the pool.
func (r *Reconciler) observePods(ctx context.Context, seen *observed, now time.Time) error {
	for _, member := range seen.activeMembers() {
		if isReady(member) || isFinished(member) {
			continue
		}
		if wait := member.CreationTimestamp.Add(waits.MemberStart).Sub(now); wait > 0 {
			seen.podRecheckAfter = waits.Sooner(seen.podRecheckAfter, wait)
			continue
		}
		seen.podRecheckAfter = waits.Sooner(seen.podRecheckAfter, waits.Blocked)
		key := client.ObjectKeyFromObject(member)
		if name := member.Annotations[apis.AnnotationPodName]; name != "" {
			key.Name = name
		}
		pod, err := lookup.Get(ctx, r.client, key, &corev1.Pod{})
		if err != nil {
			return err
		}
		if pod != nil && metav1.IsControlledBy(pod, member) {
			seen.pods[member.UID] = podStateOf(pod)
		}
	}
	return nil
}

func podStateOf(pod *corev1.Pod) podState {
	state := podState{unschedulable: podreason.IsUnschedulable(pod), cause: podreason.ForPod(pod)}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionTrue {
			state.scheduledAt = condition.LastTransitionTime.Time
		}
	}
	return state
}
