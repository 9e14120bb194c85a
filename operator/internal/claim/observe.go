// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
)

// observed is the state of the cluster at the start of a reconcile. Templates and pools are shared with the cache: do
// not modify.
type observed struct {
	owned        []*agentsv1beta1.Sandbox           // Sandboxes that the claim controls
	recorded     *agentsv1beta1.Sandbox             // of the recorded name, whoever controls it; nil if there is none
	adopting     bool                               // the record is this process's memory, not the claim's metadata
	sameName     *agentsv1beta1.Sandbox             // of the claim's name, whoever controls it
	retainedName string                             // of a deleted Sandbox whose volumes were retained for the claim
	template     *extensionsv1beta1.SandboxTemplate // that the Sandbox was or will be made from; nil if it does not exist
	pools        []*extensionsv1beta1.SandboxWarmPool
}

// sandboxesOf returns the Sandboxes that the claim controls, or its own one that has lost the owner reference.
func (o observed) sandboxesOf(claim *extensionsv1beta1.SandboxClaim) []*agentsv1beta1.Sandbox {
	if len(o.owned) == 0 && o.recorded != nil &&
		(metav1.IsControlledBy(o.recorded, claim) || isOrphaned(o.recorded, claim)) {
		return []*agentsv1beta1.Sandbox{o.recorded}
	}
	return o.owned
}

func (r *Reconciler) observe(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, now time.Time,
) (observed, error) {
	var seen observed
	arrived := r.memory.TakeArrival(claim.UID, now)
	if err := r.observeSandboxes(ctx, claim, now, &seen); err != nil {
		return seen, err
	}
	if sandboxes := seen.sandboxesOf(claim); len(sandboxes) > 0 {
		return seen, r.observeTemplate(ctx, claim, templateNameOf(sandboxes[0], claim), &seen)
	}
	if err := r.observeRetainedVolumes(ctx, claim, now, &seen); err != nil {
		return seen, err
	}
	return seen, r.observeSources(ctx, claim, arrived, &seen)
}

// observeSandboxes looks by owner, then by the recorded name, then by the claim's name. The cache can lag behind the
// operator's own writes, so a member that this process adopted is read from the API server, and a recorded Sandbox
// counts as missing only if the API server has none. An expired claim reads the API server first.
func (r *Reconciler) observeSandboxes(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, now time.Time, seen *observed,
) error {
	var list agentsv1beta1.SandboxList
	err := r.client.List(
		ctx, &list, client.InNamespace(claim.Namespace), client.MatchingFields{claimUIDIndex: string(claim.UID)},
	)
	if err != nil {
		return fmt.Errorf("list Sandboxes: %w", err)
	}
	for i := range list.Items {
		seen.owned = append(seen.owned, &list.Items[i])
		r.memory.AdoptionObserved(claim.UID, list.Items[i].Name)
	}
	if len(seen.owned) > 0 {
		if err := r.observePromised(ctx, claim, seen); err != nil || len(seen.owned) > 0 {
			return err
		}
	}
	if err := r.observeRecorded(ctx, claim, now, seen); err != nil {
		return err
	}
	if seen.adopting {
		if err := r.observeRival(ctx, claim, seen); err != nil || len(seen.owned) > 0 {
			return err
		}
	}
	if seen.recorded == nil {
		if seen.owned, err = r.listUncached(ctx, claim, now); err != nil || len(seen.owned) > 0 {
			return err
		}
	}
	if claim.LastSandbox() == claim.Name && !seen.adopting {
		seen.sameName = seen.recorded
		return nil
	}
	seen.sameName, err = lookup.Get(ctx, r.client, client.ObjectKeyFromObject(claim), &agentsv1beta1.Sandbox{})
	return err
}

// observeRival looks for the Sandbox that another operator promised to a claim while this process adopted one for it,
// of which its cache shows nothing yet.
func (r *Reconciler) observeRival(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, seen *observed,
) error {
	adopted := metav1.IsControlledBy(seen.recorded, claim)
	if adopted {
		seen.owned = append(seen.owned, seen.recorded)
	}
	err := r.observePromised(ctx, claim, seen)
	if err == nil && !adopted && len(seen.owned) > 0 {
		r.memory.AdoptionFailed(claim.UID) // it is not wanted any more
	}
	return err
}

// observePromised looks for the Sandbox that the claim's status names, if it is not among those that the claim owns.
// The cache of Sandboxes may lag behind that of claims, and the claim keeps what its status names. It asks the API
// server, and drops what the cache still shows of an earlier Sandbox of this name.
func (r *Reconciler) observePromised(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, seen *observed,
) error {
	promised := claim.Status.SandboxStatus
	isPromised := func(s *agentsv1beta1.Sandbox) bool { return s.UID == promised.UID }
	if promised.UID == "" || slices.ContainsFunc(seen.owned, isPromised) {
		return nil
	}
	key := types.NamespacedName{Namespace: claim.Namespace, Name: promised.Name}
	current, err := lookup.Get(ctx, r.live, key, &agentsv1beta1.Sandbox{})
	if err != nil {
		return err
	}
	seen.owned = slices.DeleteFunc(seen.owned, func(s *agentsv1beta1.Sandbox) bool {
		return s.Name == promised.Name && (current == nil || current.UID != s.UID)
	})
	if current != nil && isPromised(current) && (metav1.IsControlledBy(current, claim) || isOrphaned(current, claim)) {
		seen.owned = append(seen.owned, current)
	}
	return nil
}

// observeRecorded looks for the member that this process adopts, or for the Sandbox that the claim names.
func (r *Reconciler) observeRecorded(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, now time.Time, seen *observed,
) (err error) {
	key := types.NamespacedName{Namespace: claim.Namespace, Name: r.memory.Adopting(claim.UID)}
	if key.Name != "" {
		seen.recorded, err = lookup.Get(ctx, r.live, key, &agentsv1beta1.Sandbox{})
		if seen.adopting = seen.recorded != nil; seen.adopting || err != nil {
			return err
		}
		r.memory.AdoptionFailed(claim.UID) // it was deleted
	}
	if key.Name = claim.LastSandbox(); key.Name == "" {
		return nil
	}
	if deadlineOf(claim, nil).Reached(now) {
		seen.recorded, err = lookup.Get(ctx, r.live, key, &agentsv1beta1.Sandbox{})
	} else {
		seen.recorded, err = lookup.GetConfirmed(ctx, r.client, r.live, key, &agentsv1beta1.Sandbox{})
	}
	return err
}

// observeRetainedVolumes looks for volumes that outlived the claim's Sandbox. The operator labels volumes with the
// claim's UID; the name on the claim proves nothing, because whoever may edit the claim may write it. It reads the API
// server, because a claim whose volumes are missed starts empty.
func (r *Reconciler) observeRetainedVolumes(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, now time.Time, seen *observed,
) error {
	hadSandbox := claim.LastSandbox() != "" || claim.Status.FirstReadyTime != nil
	if !hadSandbox || seen.recorded != nil || deadlineOf(claim, nil).Reached(now) {
		return nil
	}
	var volumes corev1.PersistentVolumeClaimList
	err := r.live.List(ctx, &volumes,
		client.InNamespace(claim.Namespace), client.MatchingLabels{apis.LabelClaimUID: string(claim.UID)})
	if err != nil {
		return fmt.Errorf("list PersistentVolumeClaims: %w", err)
	}
	seen.retainedName = retainedSandbox(claim, volumes.Items)
	return nil
}

// retainedSandbox returns the name of the Sandbox that the volumes belonged to. If there are several, it prefers the
// recorded one.
func retainedSandbox(claim *extensionsv1beta1.SandboxClaim, volumes []corev1.PersistentVolumeClaim) string {
	var names []string
	for i := range volumes {
		name := volumes[i].Annotations[apis.AnnotationAssignedSandboxName]
		if volumes[i].DeletionTimestamp == nil && name != "" {
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case slices.Contains(names, claim.LastSandbox()):
		return claim.LastSandbox()
	default:
		return slices.Min(names)
	}
}

// observeSources reads the template and the pools that may serve the claim, which arrived at a time. If a pool has the
// strategy Recreate, it needs a read of the API server after that time, which claims share: the template may have
// changed before the claim was created, and the cache may not show it yet.
func (r *Reconciler) observeSources(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, arrived time.Time, seen *observed,
) (err error) {
	template := claim.Spec.TemplateName()
	switch name := claim.Spec.PoolName(); {
	case name != "":
		pool, err := r.namedPool(ctx, claim, arrived, name)
		if err != nil {
			return err
		}
		if pool == nil {
			break
		}
		seen.pools = []*extensionsv1beta1.SandboxWarmPool{pool}
		if template == "" {
			template = pool.Spec.TemplateRef.Name
		}
	case claim.Spec.AcceptsWarm():
		var list extensionsv1beta1.SandboxWarmPoolList
		if err := r.client.List(ctx, &list, client.InNamespace(claim.Namespace), client.UnsafeDisableDeepCopy); err != nil {
			return fmt.Errorf("list SandboxWarmPools: %w", err)
		}
		for i := range list.Items {
			if claim.Spec.AcceptsPool(&list.Items[i]) {
				seen.pools = append(seen.pools, &list.Items[i])
			}
		}
	}
	if claim.Spec.AcceptsWarm() && slices.ContainsFunc(seen.pools, (*extensionsv1beta1.SandboxWarmPool).Recreates) {
		if template != "" {
			key := types.NamespacedName{Namespace: claim.Namespace, Name: template}
			seen.template, err = r.templates.get(ctx, key, arrived)
		}
		return err
	}
	return r.observeTemplate(ctx, claim, template, seen)
}

// namedPool reads the only pool that may serve the claim. It returns nil if the pool does not exist.
func (r *Reconciler) namedPool(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, arrived time.Time, name string,
) (*extensionsv1beta1.SandboxWarmPool, error) {
	key := types.NamespacedName{Namespace: claim.Namespace, Name: name}
	pool, err := lookup.Get(ctx, r.client, key, &extensionsv1beta1.SandboxWarmPool{}, client.UnsafeDisableDeepCopy)
	if err != nil || pool == nil || !pool.Recreates() || !claim.Spec.AcceptsWarm() {
		return pool, err
	}
	return r.pools.get(ctx, key, arrived)
}

func (r *Reconciler) observeTemplate(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string, seen *observed,
) error {
	if name == "" {
		return nil
	}
	key := types.NamespacedName{Namespace: claim.Namespace, Name: name}
	template, err := lookup.Get(ctx, r.client, key, &extensionsv1beta1.SandboxTemplate{}, client.UnsafeDisableDeepCopy)
	seen.template = template
	return err
}
