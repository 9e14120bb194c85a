// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
)

// finish does what nobody waits for, after the status is written: it deletes surplus Sandboxes and records on the claim
// the name of its Sandbox, and when the operator first observed the claim. Nothing decides by this record while the
// Sandbox exists. While claims wait the record holds; the result is the time after which to call finish again.
func (r *Reconciler) finish(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, done step, sandbox *agentsv1beta1.Sandbox,
) (hold time.Duration, err error) {
	name := ""
	switch s := done.(type) {
	case keep:
		if err := r.deleteSurplus(ctx, claim, s); err != nil {
			return 0, err
		}
		name = sandbox.Name
	case resumeAdoption, adoptOrCreate, create:
		if sandbox != nil {
			name = sandbox.Name
		}
	case reject:
	default:
		return 0, nil
	}
	updated := r.withRecord(claim, name)
	if equality.Semantic.DeepEqual(claim.ObjectMeta, updated.ObjectMeta) {
		return 0, nil
	}
	if hold := r.gate.Hold(claimsfirst.ClaimMetadata, string(claim.UID)); hold > 0 {
		return hold, nil
	}
	return 0, r.patchMetadata(ctx, claim, updated)
}

// withRecord returns a copy of the claim with the name of its Sandbox, unless it is empty, and the time at which the
// operator first observed the claim.
func (r *Reconciler) withRecord(claim *extensionsv1beta1.SandboxClaim, name string) *extensionsv1beta1.SandboxClaim {
	updated := claim.DeepCopy()
	if at := r.firstObserved(claim); !at.IsZero() {
		metadata.Set(&updated.Annotations, apis.AnnotationControllerFirstObservedAt, at.UTC().Format(time.RFC3339Nano))
	}
	if name == "" {
		return updated
	}
	metadata.Set(&updated.Annotations, apis.AnnotationAssignedSandboxName, name)
	if len(validation.IsValidLabelValue(name)) == 0 {
		metadata.Set(&updated.Labels, apis.LabelAssignedSandboxName, name)
	} else {
		delete(updated.Labels, apis.LabelAssignedSandboxName)
	}
	return updated
}

// firstObserved returns when the operator first observed the claim, or zero if the claim's annotation says it.
func (r *Reconciler) firstObserved(claim *extensionsv1beta1.SandboxClaim) time.Time {
	if claim.Annotations[apis.AnnotationControllerFirstObservedAt] != "" {
		return time.Time{}
	}
	return r.memory.FirstObserved(claim.UID, r.clock.Now())
}

// deleteSurplus deletes Sandboxes that the claim owns besides the one that its status names. They were adopted by two
// operators that ran at once, and no status ever named them. It verifies first that the status is the API server's: the
// other operator may have written another name.
func (r *Reconciler) deleteSurplus(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, k keep) error {
	if len(k.surplus) == 0 || !isBound(k.sandbox, claim) {
		return nil
	}
	if err := r.verifyUnchanged(ctx, claim); err != nil {
		return err
	}
	return r.deleteAll(ctx, k.surplus)
}
