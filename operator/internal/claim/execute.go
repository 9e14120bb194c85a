// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// execute carries a step out and returns the claim's Sandbox as the server last answered; nil means that it has none. The claim is
// brought up to date with what was written to it.
func (r *Reconciler) execute(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, todo step) (*agentsv1beta1.Sandbox, error) {
	switch s := todo.(type) {
	case keep:
		return r.repair(ctx, claim, s)
	case awaitDeletion:
		return s.sandbox, nil
	case resumeAdoption:
		return r.adopt(ctx, claim, s.member, s.source)
	case clearAssignment:
		return nil, r.clearAssignment(ctx, claim, &memberLostError{message: fmt.Sprintf("Sandbox %q cannot be had any more; another follows", s.name)})
	case adoptOrCreate:
		return r.adoptOrCreate(ctx, claim, s)
	case create:
		return r.createSandbox(ctx, claim, s.sandbox)
	case reject:
		return nil, errors.Join(s.rejection, r.recordAssignment(ctx, claim, ""))
	case expire:
		return nil, r.expire(ctx, claim, s)
	default:
		return nil, fmt.Errorf("no such step: %T", todo)
	}
}

// recordAssignment writes on the claim when it was seen first and, unless empty, the name of its Sandbox: one locked write, and none when
// it says so already.
func (r *Reconciler) recordAssignment(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string) error {
	is := claim.DeepCopy()
	if is.Annotations[apis.AnnotationControllerFirstObservedAt] == "" {
		setKey(&is.Annotations, apis.AnnotationControllerFirstObservedAt, r.clock.Now().UTC().Format(time.RFC3339Nano))
	}
	if name != "" {
		setKey(&is.Annotations, apis.AnnotationAssignedSandboxName, name)
		if len(validation.IsValidLabelValue(name)) == 0 {
			setKey(&is.Labels, apis.LabelAssignedSandboxName, name)
		} else {
			delete(is.Labels, apis.LabelAssignedSandboxName)
		}
	}
	return r.patchMetadata(ctx, claim, is)
}

// clearAssignment drops the record. Returned is why, or what kept us from it.
func (r *Reconciler) clearAssignment(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, why error) error {
	is := claim.DeepCopy()
	delete(is.Annotations, apis.AnnotationAssignedSandboxName)
	delete(is.Labels, apis.LabelAssignedSandboxName)
	if err := r.patchMetadata(ctx, claim, is); err != nil {
		return err
	}
	return why
}

func (r *Reconciler) patchMetadata(ctx context.Context, claim, is *extensionsv1beta1.SandboxClaim) error {
	if equality.Semantic.DeepEqual(claim.ObjectMeta, is.ObjectMeta) {
		return nil
	}
	from := client.MergeFromWithOptions(claim.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if err := r.client.Patch(ctx, is, from, client.FieldOwner(apis.FieldOwnerClaim)); err != nil {
		return fmt.Errorf("record on the claim: %w", err)
	}
	is.DeepCopyInto(claim)
	return nil
}

// repair repairs the keys we own on a Sandbox that is ours, and the claim's record of it.
func (r *Reconciler) repair(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, k keep) (*agentsv1beta1.Sandbox, error) {
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
		case !apierrors.IsNotFound(err): // one that is gone wakes us
			return sandbox, err
		}
	}
	if err := r.recordAssignment(ctx, claim, sandbox.Name); err != nil {
		return sandbox, err
	}
	return sandbox, r.deleteAll(ctx, k.surplus)
}

// patchSandbox writes what differs, if the Sandbox is still as it was.
func (r *Reconciler) patchSandbox(ctx context.Context, was, want *agentsv1beta1.Sandbox) error {
	from := client.MergeFromWithOptions(was, client.MergeFromWithOptimisticLock{})
	if err := r.client.Patch(ctx, want, from, client.FieldOwner(apis.FieldOwnerClaim)); err != nil {
		return fmt.Errorf("patch Sandbox %s: %w", was.Name, err)
	}
	return nil
}

// createSandbox creates a Sandbox under the claim's name. The name is recorded first: until it is known what became of the creation,
// no warm Sandbox may be taken.
func (r *Reconciler) createSandbox(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox,
) (*agentsv1beta1.Sandbox, error) {
	if err := r.recordAssignment(ctx, claim, sandbox.Name); err != nil {
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
	there, err := getOrNil(ctx, r.live, client.ObjectKeyFromObject(sandbox), &agentsv1beta1.Sandbox{})
	switch {
	case err != nil:
		return nil, err
	case there == nil:
		return nil, errorclass.ErrDeletedMeanwhile
	case controlledBy(there, claim.UID):
		return there, nil
	default:
		return nil, r.clearAssignment(ctx, claim, rejectNameTaken(claim, there))
	}
}

// deleteAll deletes Sandboxes that are ours; those that are gone, or going, need nothing.
func (r *Reconciler) deleteAll(ctx context.Context, sandboxes []*agentsv1beta1.Sandbox) error {
	var errs []error
	for _, sandbox := range sandboxes {
		if sandbox.DeletionTimestamp != nil {
			continue
		}
		uid := sandbox.UID
		if err := r.client.Delete(ctx, sandbox, client.Preconditions{UID: &uid}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete Sandbox %s: %w", sandbox.Name, err))
		}
	}
	return errors.Join(errs...)
}

// expire deletes the Sandboxes of a claim that stays, if the claim is still as it was seen: somebody may have given it more time.
func (r *Reconciler) expire(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, e expire) error {
	if len(e.sandboxes) == 0 {
		return nil
	}
	if err := r.verifyUnchanged(ctx, claim); err != nil {
		return err
	}
	return r.deleteAll(ctx, e.sandboxes)
}

// deleteClaim ends a claim, if it is still as it was seen: somebody may have given it more time.
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
	r.emitEvent(claim, first(e.sandboxes), apis.ReasonClaimExpired, "Expire", apis.MessageClaimExpired)
	return nil
}
