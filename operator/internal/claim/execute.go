// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// execute carries out a step and returns the claim's Sandbox as the API server last answered, or nil if the claim has
// none. It updates claim to what it wrote.
func (r *Reconciler) execute(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, next step,
) (*agentsv1beta1.Sandbox, error) {
	switch s := next.(type) {
	case keep:
		return r.repair(ctx, claim, s)
	case awaitDeletion:
		return s.sandbox, nil
	case resumeAdoption:
		return r.adopt(ctx, claim, s.member, s.source)
	case clearAssignment:
		return nil, r.clearConfirmed(ctx, claim, s.sandbox)
	case adoptOrCreate:
		return r.adoptOrCreate(ctx, claim, s)
	case create:
		return r.createSandbox(ctx, claim, s.sandbox)
	case reject:
		return nil, s.rejection
	case expire:
		return nil, r.expire(ctx, claim, s)
	default:
		return nil, fmt.Errorf("unknown step %T", next)
	}
}

// clearConfirmed forgets the recorded name if the API server has the same version of the Sandbox. The cache may not
// show yet that the claim has adopted it.
func (r *Reconciler) clearConfirmed(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox,
) error {
	current, err := lookup.Get(ctx, r.live, client.ObjectKeyFromObject(sandbox), &agentsv1beta1.Sandbox{})
	switch {
	case err != nil:
		return err
	case current != nil && current.ResourceVersion != sandbox.ResourceVersion:
		return errorclass.ErrChangedMeanwhile
	}
	return r.clearAssignment(ctx, claim, &adoptionFailedError{
		message: fmt.Sprintf("Sandbox %q is no longer available; another one follows", sandbox.Name),
	})
}

// clearAssignment forgets the recorded name, and removes it from the claim if it is there. It returns reason, or the
// error that prevented the write.
func (r *Reconciler) clearAssignment(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, reason error) error {
	r.memory.AdoptionFailed(claim.UID)
	updated := claim.DeepCopy()
	delete(updated.Annotations, apis.AnnotationAssignedSandboxName)
	delete(updated.Labels, apis.LabelAssignedSandboxName)
	if err := r.patchMetadata(ctx, claim, updated); err != nil {
		return err
	}
	return reason
}

// patchMetadata writes the labels and annotations of updated, if the API server still has the version of claim, and
// updates claim.
func (r *Reconciler) patchMetadata(ctx context.Context, claim, updated *extensionsv1beta1.SandboxClaim) error {
	if equality.Semantic.DeepEqual(claim.ObjectMeta, updated.ObjectMeta) {
		return nil
	}
	from := client.MergeFromWithOptions(claim.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if err := r.client.Patch(ctx, updated, from, client.FieldOwner(apis.FieldOwnerClaim)); err != nil {
		return fmt.Errorf("patch the claim's metadata: %w", err)
	}
	updated.DeepCopyInto(claim)
	if claim.Annotations[apis.AnnotationControllerFirstObservedAt] != "" {
		r.memory.FirstObservedRecorded(claim.UID)
	}
	return nil
}

// repair corrects the operator's keys on the claim's Sandbox.
func (r *Reconciler) repair(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, k keep,
) (*agentsv1beta1.Sandbox, error) {
	sandbox := k.sandbox
	if k.desired != nil {
		if isOrphaned(k.sandbox, claim) {
			if err := owner.Recheck(ctx, r.live, claim); err != nil {
				return sandbox, err
			}
		}
		switch err := r.patchSandbox(ctx, k.sandbox, k.desired); {
		case err == nil:
			sandbox = k.desired
		case !apierrors.IsNotFound(err): // the deletion of the Sandbox triggers another reconcile
			return sandbox, err
		}
	}
	return sandbox, nil
}

// patchSandbox writes what differs, if the API server still has the version of current.
func (r *Reconciler) patchSandbox(ctx context.Context, current, desired *agentsv1beta1.Sandbox) error {
	from := client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{})
	if err := r.client.Patch(ctx, desired, from, client.FieldOwner(apis.FieldOwnerClaim)); err != nil {
		return fmt.Errorf("patch Sandbox %s: %w", current.Name, err)
	}
	return nil
}

// createSandbox creates a Sandbox for the claim. It records the name first: until the result of the creation is known,
// no warm Sandbox may be adopted.
func (r *Reconciler) createSandbox(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox,
) (*agentsv1beta1.Sandbox, error) {
	if err := r.patchMetadata(ctx, claim, r.withRecord(claim, sandbox.Name)); err != nil {
		return nil, err
	}
	err := r.client.Create(ctx, sandbox, client.FieldOwner(apis.FieldOwnerClaim))
	if err == nil {
		r.metrics.Claimed(sandbox, metrics.NoPool)
		return sandbox, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("create Sandbox %s: %w", sandbox.Name, err)
	}
	existing, err := lookup.Get(ctx, r.live, client.ObjectKeyFromObject(sandbox), &agentsv1beta1.Sandbox{})
	switch {
	case err != nil:
		return nil, err
	case existing == nil:
		return nil, errorclass.ErrChangedMeanwhile
	case metav1.IsControlledBy(existing, claim):
		return existing, nil
	default:
		return nil, r.clearAssignment(ctx, claim, rejectNameTaken(claim, existing))
	}
}

// deleteAll deletes those Sandboxes that still exist and are not being deleted.
func (r *Reconciler) deleteAll(ctx context.Context, sandboxes []*agentsv1beta1.Sandbox) error {
	var errs []error
	for _, sandbox := range sandboxes {
		if sandbox.DeletionTimestamp != nil {
			continue
		}
		uid := sandbox.UID
		if err := r.client.Delete(ctx, sandbox, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("delete Sandbox %s: %w", sandbox.Name, err))
		}
	}
	return errors.Join(errs...)
}

// expire deletes the Sandboxes of a claim that is retained. It verifies first that nobody has changed the claim:
// somebody may have extended its lifetime.
func (r *Reconciler) expire(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, e expire) error {
	if len(e.sandboxes) == 0 {
		return nil
	}
	if err := r.verifyUnchanged(ctx, claim); err != nil {
		return err
	}
	return r.deleteAll(ctx, e.sandboxes)
}

// deleteClaim deletes an expired claim, if nobody has changed it: somebody may have extended its lifetime.
func (r *Reconciler) deleteClaim(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, e expire) error {
	uid, version := claim.UID, claim.ResourceVersion
	options := []client.DeleteOption{client.Preconditions{UID: &uid, ResourceVersion: &version}}
	if e.policy == extensionsv1beta1.ShutdownPolicyDeleteForeground {
		options = append(options, client.PropagationPolicy(metav1.DeletePropagationForeground))
	}
	err := r.client.Delete(ctx, claim, options...)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("delete the claim: %w", err)
	}
	r.emitEvent(claim, first(e.sandboxes), apis.ReasonClaimExpired, apis.ActionExpire, apis.MessageClaimExpired)
	return nil
}
