// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// observed is what the cluster held when the pass began. Templates and pools are shared with the cache: read only.
type observed struct {
	owned    []*agentsv1beta1.Sandbox           // that the claim controls
	assigned *agentsv1beta1.Sandbox             // under the recorded name, whoever controls it; nil: the API server has none
	sameName *agentsv1beta1.Sandbox             // under the claim's own name, whoever controls it
	retained string                             // the name of a Sandbox that is gone and whose volumes wait for the claim
	template *extensionsv1beta1.SandboxTemplate // that a Sandbox would be, or was, stamped from; nil: there is none
	pools    []*extensionsv1beta1.SandboxWarmPool
}

// sandboxesOf lists the Sandboxes that the claim controls, and the one it had whose owner reference somebody removed.
func (o observed) sandboxesOf(claim *extensionsv1beta1.SandboxClaim) []*agentsv1beta1.Sandbox {
	if len(o.owned) == 0 && o.assigned != nil && (controlledBy(o.assigned, claim.UID) || isOrphaned(o.assigned, claim)) {
		return []*agentsv1beta1.Sandbox{o.assigned}
	}
	return o.owned
}

// assignedName is the name of the Sandbox that the claim is noted to have, or to be about to take.
func assignedName(claim *extensionsv1beta1.SandboxClaim) string {
	if name := claim.Annotations[apis.AnnotationAssignedSandboxName]; name != "" {
		return name
	}
	return claim.Labels[apis.LabelAssignedSandboxName]
}

// knownName is where the claim's Sandbox is looked for: where the note was taken away, the status remembers it.
func knownName(claim *extensionsv1beta1.SandboxClaim) string {
	return cmp.Or(assignedName(claim), claim.Status.SandboxStatus.Name)
}

func (r *Reconciler) observe(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, now time.Time) (observed, error) {
	var seen observed
	if err := r.observeSandboxes(ctx, claim, now, &seen); err != nil {
		return seen, err
	}
	if ours := seen.sandboxesOf(claim); len(ours) > 0 {
		return seen, observeTemplate(ctx, r.client, claim, templateNameOf(ours[0], claim), &seen)
	}
	if err := r.observeRetainedVolumes(ctx, claim, now, &seen); err != nil {
		return seen, err
	}
	return seen, r.observeSources(ctx, claim, &seen)
}

// observeRetainedVolumes looks for volumes that outlived the claim's Sandbox. They are told by the claim's UID, which the operator wrote: what is
// noted on the claim anybody may have written who may edit it. The API server is asked, for whoever misses them begins with nothing.
func (r *Reconciler) observeRetainedVolumes(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, now time.Time, seen *observed) error {
	had := knownName(claim) != "" || claim.Status.FirstReadyTime != nil
	if !had || seen.assigned != nil || deadlineOf(claim, nil).Reached(now) {
		return nil
	}
	var volumes corev1.PersistentVolumeClaimList
	err := r.live.List(ctx, &volumes, client.InNamespace(claim.Namespace), client.MatchingLabels{apis.LabelClaimUID: string(claim.UID)})
	if err != nil {
		return fmt.Errorf("list PersistentVolumeClaims: %w", err)
	}
	seen.retained = retainedSandbox(claim, volumes.Items)
	return nil
}

// retainedSandbox is the name of the Sandbox that the volumes are of: the recorded one, if there are several.
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
	case slices.Contains(names, knownName(claim)):
		return knownName(claim)
	default:
		return slices.Min(names)
	}
}

// observeSandboxes looks by owner, then by record, then by the claim's name. The cache may lag behind our own writes, so what a
// claim has recorded is gone only when the API server says so; when the claim is over the API server is asked anyway.
func (r *Reconciler) observeSandboxes(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, now time.Time, seen *observed) error {
	var list agentsv1beta1.SandboxList
	err := r.client.List(ctx, &list, client.InNamespace(claim.Namespace), client.MatchingFields{claimUIDIndex: string(claim.UID)})
	if err != nil {
		return fmt.Errorf("list Sandboxes: %w", err)
	}
	for i := range list.Items {
		seen.owned = append(seen.owned, &list.Items[i])
	}
	if len(seen.owned) > 0 {
		return nil
	}
	key := types.NamespacedName{Namespace: claim.Namespace, Name: knownName(claim)}
	if key.Name != "" {
		if !deadlineOf(claim, nil).Reached(now) {
			if seen.assigned, err = getOrNil(ctx, r.client, key, &agentsv1beta1.Sandbox{}); err != nil {
				return err
			}
		}
		if seen.assigned == nil {
			if seen.assigned, err = getOrNil(ctx, r.live, key, &agentsv1beta1.Sandbox{}); err != nil {
				return err
			}
		}
	}
	if key.Name == claim.Name {
		seen.sameName = seen.assigned
		return nil
	}
	seen.sameName, err = getOrNil(ctx, r.client, client.ObjectKeyFromObject(claim), &agentsv1beta1.Sandbox{})
	return err
}

// observeSources reads what a Sandbox may come from: the template, and the pools that may serve the claim. Where one of them has the
// strategy Recreate the API server is asked: by the time a claim exists the template may have changed without the cache's knowing.
func (r *Reconciler) observeSources(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, seen *observed) error {
	name, template := poolName(claim), templateName(claim)
	switch {
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
	case wantsWarm(claim):
		var list extensionsv1beta1.SandboxWarmPoolList
		if err := r.client.List(ctx, &list, client.InNamespace(claim.Namespace), client.UnsafeDisableDeepCopy); err != nil {
			return fmt.Errorf("list SandboxWarmPools: %w", err)
		}
		for i := range list.Items {
			if list.Items[i].Spec.TemplateRef.Name == template {
				seen.pools = append(seen.pools, &list.Items[i])
			}
		}
	}
	if wantsWarm(claim) && slices.ContainsFunc(seen.pools, recreates) {
		return observeTemplate(ctx, r.live, claim, template, seen)
	}
	return observeTemplate(ctx, r.client, claim, template, seen)
}

// namedPool reads the one pool that may serve the claim; nil: there is none.
func (r *Reconciler) namedPool(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string) (*extensionsv1beta1.SandboxWarmPool, error) {
	key := types.NamespacedName{Namespace: claim.Namespace, Name: name}
	pool, err := getOrNil(ctx, r.client, key, &extensionsv1beta1.SandboxWarmPool{}, client.UnsafeDisableDeepCopy)
	if err != nil || pool == nil || !recreates(pool) || !wantsWarm(claim) {
		return pool, err
	}
	return getOrNil(ctx, r.live, key, &extensionsv1beta1.SandboxWarmPool{})
}

func observeTemplate(ctx context.Context, from client.Reader, claim *extensionsv1beta1.SandboxClaim, name string, seen *observed) error {
	if name == "" {
		return nil
	}
	key := types.NamespacedName{Namespace: claim.Namespace, Name: name}
	template, err := getOrNil(ctx, from, key, &extensionsv1beta1.SandboxTemplate{}, client.UnsafeDisableDeepCopy)
	seen.template = template
	return err
}

// getOrNil reads one object; nil means that there is none.
func getOrNil[T client.Object](
	ctx context.Context, reader client.Reader, key client.ObjectKey, into T, options ...client.GetOption,
) (T, error) {
	var none T
	switch err := reader.Get(ctx, key, into, options...); {
	case apierrors.IsNotFound(err):
		return none, nil
	case err != nil:
		return none, fmt.Errorf("get %T %s: %w", into, key, err)
	}
	return into, nil
}

func controlledBy(object metav1.Object, uid types.UID) bool {
	controller := metav1.GetControllerOfNoCopy(object)
	return controller != nil && controller.UID == uid
}

// templateName is the template that the claim names itself; empty where it names a pool only.
func templateName(claim *extensionsv1beta1.SandboxClaim) string {
	if claim.Spec.TemplateRef == nil {
		return ""
	}
	return claim.Spec.TemplateRef.Name
}

// poolName is the one pool that the claim names; empty where any pool of the template, or none, may serve it.
func poolName(claim *extensionsv1beta1.SandboxClaim) string {
	switch {
	case claim.Spec.WarmPoolRef != nil:
		return claim.Spec.WarmPoolRef.Name
	case claim.Spec.WarmPool == nil, *claim.Spec.WarmPool == apis.WarmPoolNone, *claim.Spec.WarmPool == apis.WarmPoolDefault:
		return ""
	default:
		return string(*claim.Spec.WarmPool)
	}
}

// wantsWarm says whether a warm Sandbox may serve the claim. One that runs already takes no variables and no volumes.
func wantsWarm(claim *extensionsv1beta1.SandboxClaim) bool {
	return (claim.Spec.WarmPool == nil || *claim.Spec.WarmPool != apis.WarmPoolNone) && !addsToSpec(claim)
}

// addsToSpec says whether the claim asks for what only a new Sandbox can have.
func addsToSpec(claim *extensionsv1beta1.SandboxClaim) bool {
	return len(claim.Spec.Env) > 0 || len(claim.Spec.VolumeClaimTemplates) > 0
}
