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
	if err := r.observeSandboxes(ctx, claim, now, &seen); err != nil {
		return seen, err
	}
	if sandboxes := seen.sandboxesOf(claim); len(sandboxes) > 0 {
		return seen, observeTemplate(ctx, r.client, claim, templateNameOf(sandboxes[0], claim), &seen)
	}
	if err := r.observeRetainedVolumes(ctx, claim, now, &seen); err != nil {
		return seen, err
	}
	return seen, r.observeSources(ctx, claim, &seen)
}

// observeSandboxes looks by owner, then by the recorded name, then by the claim's name. The cache can lag behind the
// operator's own writes, so a recorded Sandbox counts as missing only if the API server has none. An expired claim
// reads the API server first.
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
	}
	if len(seen.owned) > 0 {
		return nil
	}
	key := types.NamespacedName{Namespace: claim.Namespace, Name: claim.LastSandbox()}
	if key.Name != "" {
		if deadlineOf(claim, nil).Reached(now) {
			seen.recorded, err = lookup.Get(ctx, r.live, key, &agentsv1beta1.Sandbox{})
		} else {
			seen.recorded, err = lookup.GetConfirmed(ctx, r.client, r.live, key, &agentsv1beta1.Sandbox{})
		}
		if err != nil {
			return err
		}
	}
	if key.Name == claim.Name {
		seen.sameName = seen.recorded
		return nil
	}
	seen.sameName, err = lookup.Get(ctx, r.client, client.ObjectKeyFromObject(claim), &agentsv1beta1.Sandbox{})
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

// observeSources reads the template and the pools that may serve the claim. If a pool has the strategy Recreate, it
// reads the API server: the template may have changed before the claim was created, and the cache may not show it yet.
func (r *Reconciler) observeSources(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, seen *observed) error {
	template := claim.Spec.TemplateName()
	switch name := claim.Spec.PoolName(); {
	case name != "":
		pool, err := r.namedPool(ctx, claim, name)
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
		return observeTemplate(ctx, r.live, claim, template, seen)
	}
	return observeTemplate(ctx, r.client, claim, template, seen)
}

// namedPool reads the only pool that may serve the claim. It returns nil if the pool does not exist.
func (r *Reconciler) namedPool(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string,
) (*extensionsv1beta1.SandboxWarmPool, error) {
	key := types.NamespacedName{Namespace: claim.Namespace, Name: name}
	pool, err := lookup.Get(ctx, r.client, key, &extensionsv1beta1.SandboxWarmPool{}, client.UnsafeDisableDeepCopy)
	if err != nil || pool == nil || !pool.Recreates() || !claim.Spec.AcceptsWarm() {
		return pool, err
	}
	return lookup.Get(ctx, r.live, key, &extensionsv1beta1.SandboxWarmPool{})
}

func observeTemplate(
	ctx context.Context, reader client.Reader, claim *extensionsv1beta1.SandboxClaim, name string, seen *observed,
) error {
	if name == "" {
		return nil
	}
	key := types.NamespacedName{Namespace: claim.Namespace, Name: name}
	template, err := lookup.Get(ctx, reader, key, &extensionsv1beta1.SandboxTemplate{}, client.UnsafeDisableDeepCopy)
	seen.template = template
	return err
}
