// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// adoptOrCreate adopts a warm Sandbox, or executes the fallback if there is none. It tries one member only.
func (r *Reconciler) adoptOrCreate(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, s adoptOrCreate,
) (*agentsv1beta1.Sandbox, error) {
	lease, member, err := r.leaseMember(ctx, s.source)
	if err != nil {
		return nil, err
	}
	if member == nil {
		r.metrics.Adoption(claim.Namespace, metrics.NoneAvailable)
		return r.execute(ctx, claim, s.fallback)
	}
	defer lease.Release()
	r.gate.ClaimHasMember(claim.UID, true) // the pool may see the adoption before this process has the answer
	sandbox, err := r.adopt(ctx, claim, member, s.source)
	var lost *adoptionFailedError
	if err == nil || (errors.As(err, &lost) && lost.unavailable) {
		lease.Consume()
	}
	r.gate.ClaimHasMember(claim.UID, err == nil)
	return sandbox, err
}

// leaseMember leases the best member that may still be adopted according to the cache. It returns nil if there is none.
func (r *Reconciler) leaseMember(ctx context.Context, from *source) (*warmqueue.Lease, *agentsv1beta1.Sandbox, error) {
	tried := map[types.UID]bool{}
	for {
		eligible := func(m warmqueue.Member) bool { return !tried[m.UID] && from.matches(m) }
		lease := r.queue.Lease(from.selector, eligible, r.nodeLeaving)
		if lease == nil {
			return nil, nil, nil
		}
		member, err := lookup.Get(ctx, r.client, lease.NamespacedName, &agentsv1beta1.Sandbox{})
		if err == nil && member != nil && member.UID == lease.UID && from.mayAdopt(member) {
			return lease, member, nil
		}
		tried[lease.UID] = true
		lease.Release()
		if err != nil {
			return nil, nil, err
		}
	}
}

// adopt transfers a member to the claim and counts the outcome.
func (r *Reconciler) adopt(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, member *agentsv1beta1.Sandbox, from *source,
) (*agentsv1beta1.Sandbox, error) {
	sandbox, err := r.transfer(ctx, claim, member, from)
	r.metrics.Adoption(claim.Namespace, adoptionOutcome(err))
	if err == nil {
		r.metrics.Claimed(sandbox, from.controllingPool(member).Name)
	}
	return sandbox, err
}

// transfer makes the claim the controller of the member, in one write that carries the version in which the pool owned
// it. This write is the commit: whoever reconciles the claim next finds the Sandbox by its owner. Until the cache shows
// it, this process remembers it.
func (r *Reconciler) transfer(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, member *agentsv1beta1.Sandbox, from *source,
) (*agentsv1beta1.Sandbox, error) {
	desired, rejected := newAdoptedSandbox(member, claim, from.template)
	if rejected != nil {
		return nil, rejected
	}
	r.memory.ExpectAdoption(claim.UID, member.Name)
	err := r.patchSandbox(ctx, member, desired)
	if err == nil {
		return desired, nil
	}
	if !isStaleOrGone(err) {
		return nil, err // the API server may have carried the write out, so the member is remembered
	}
	return r.retryTransfer(ctx, claim, member.Name, from)
}

// retryTransfer tries once more with the member as the API server has it, if the pool still owns it and the claim is
// unchanged: another operator may have given it a Sandbox. Otherwise it forgets the member, and a later reconcile may
// adopt another one.
func (r *Reconciler) retryTransfer(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string, from *source,
) (*agentsv1beta1.Sandbox, error) {
	fresh, lost, err := r.recheckMember(ctx, claim, name, from)
	if err != nil || lost == nil {
		return fresh, err
	}
	if !lost.unavailable {
		if err := r.verifyUnchanged(ctx, claim); err != nil {
			return nil, err
		}
		desired, rejected := newAdoptedSandbox(fresh, claim, from.template)
		if rejected != nil {
			return nil, rejected
		}
		if err := r.patchSandbox(ctx, fresh, desired); err == nil {
			return desired, nil
		} else if !isStaleOrGone(err) {
			return nil, err
		}
		if fresh, lost, err = r.recheckMember(ctx, claim, name, from); err != nil || lost == nil {
			return fresh, err // another operator may have adopted the same member for the claim
		}
	}
	return nil, r.clearAssignment(ctx, claim, lost)
}

// recheckMember reads a member from the API server. If it returns no error, the claim owns the member. An
// adoptionFailedError that is unavailable means that the claim can never own it; otherwise the pool still owns it.
func (r *Reconciler) recheckMember(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string, from *source,
) (*agentsv1beta1.Sandbox, *adoptionFailedError, error) {
	key := types.NamespacedName{Namespace: claim.Namespace, Name: name}
	fresh, err := lookup.Get(ctx, r.live, key, &agentsv1beta1.Sandbox{})
	switch {
	case err != nil:
		return nil, nil, err
	case fresh == nil:
		return nil, &adoptionFailedError{
			message:     fmt.Sprintf("Sandbox %q was deleted before the claim adopted it; another one follows", name),
			unavailable: true,
		}, nil
	case metav1.IsControlledBy(fresh, claim):
		return fresh, nil, nil
	case !from.mayAdopt(fresh):
		return nil, &adoptionFailedError{
			message:     fmt.Sprintf("Sandbox %q left its pool before the claim adopted it; another one follows", name),
			unavailable: true,
		}, nil
	default:
		return fresh, &adoptionFailedError{
			message: fmt.Sprintf("Sandbox %q changed while the claim adopted it; another attempt follows", name),
		}, nil
	}
}

// verifyUnchanged returns a conflict if somebody has changed or deleted the claim since this reconcile read or wrote
// it.
func (r *Reconciler) verifyUnchanged(ctx context.Context, claim *extensionsv1beta1.SandboxClaim) error {
	live, err := lookup.Get(ctx, r.live, client.ObjectKeyFromObject(claim), &extensionsv1beta1.SandboxClaim{})
	switch {
	case err != nil:
		return err
	case live == nil || live.ResourceVersion != claim.ResourceVersion:
		return errorclass.ErrChangedMeanwhile
	default:
		return nil
	}
}

// isStaleOrGone reports whether the API server has another version of the object, or none.
func isStaleOrGone(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }
