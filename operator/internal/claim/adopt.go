// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// adoptOrCreate takes a warm Sandbox, or starts cold when there is none. One member is tried, never a second one.
func (r *Reconciler) adoptOrCreate(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, d adoptOrCreate) (*agentsv1beta1.Sandbox, error) {
	lease, member, err := r.leaseMember(ctx, d.source)
	if err != nil {
		return nil, err
	}
	if member == nil {
		r.metrics.Adoption(claim.Namespace, metrics.NoneAvailable)
		return r.execute(ctx, claim, d.fallback)
	}
	defer lease.Release()
	sandbox, err := r.adopt(ctx, claim, member, d.source)
	var gone *memberLostError
	if err == nil || (errors.As(err, &gone) && gone.unavailable) {
		lease.Consume()
	}
	return sandbox, err
}

// leaseMember finds the best member that is still to be had by what the cache says of it now.
func (r *Reconciler) leaseMember(ctx context.Context, from *source) (*warmqueue.Lease, *agentsv1beta1.Sandbox, error) {
	tried := map[types.UID]bool{}
	for {
		lease := r.queue.Lease(from.selector, func(m warmqueue.Member) bool { return !tried[m.UID] && from.matches(m) }, r.nodeLeaving)
		if lease == nil {
			return nil, nil, nil
		}
		member, err := getOrNil(ctx, r.client, lease.NamespacedName, &agentsv1beta1.Sandbox{})
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

// adopt takes a member over, and counts what became of it.
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

// transfer records the member on the claim and then makes it the claim's. A pass that dies in between is continued by the next.
func (r *Reconciler) transfer(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, member *agentsv1beta1.Sandbox, from *source,
) (*agentsv1beta1.Sandbox, error) {
	want, why := newAdoptedSandbox(member, claim, from.template)
	if why != nil {
		return nil, why
	}
	if err := r.recordAssignment(ctx, claim, member.Name); err != nil {
		return nil, err
	}
	err := r.patchSandbox(ctx, member, want)
	if err == nil {
		return want, nil
	}
	if !isStaleOrGone(err) {
		return nil, err // nobody knows whether it was carried out: the record stands
	}
	return r.retryTransfer(ctx, claim, member.Name, from)
}

// retryTransfer: the cache was behind. The member is looked at on the API server and, if the pool still holds it, tried once more;
// else the record goes, and another member may be taken in a later pass.
func (r *Reconciler) retryTransfer(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string, from *source,
) (*agentsv1beta1.Sandbox, error) {
	fresh, why, err := r.recheckMember(ctx, claim, name, from)
	if err != nil || why == nil {
		return fresh, err
	}
	if !why.unavailable {
		if err := r.verifyUnchanged(ctx, claim); err != nil {
			return nil, err
		}
		want, refused := newAdoptedSandbox(fresh, claim, from.template)
		if refused != nil {
			return nil, refused
		}
		if err := r.patchSandbox(ctx, fresh, want); err == nil {
			return want, nil
		} else if !isStaleOrGone(err) {
			return nil, err
		}
		if fresh, why, err = r.recheckMember(ctx, claim, name, from); err != nil || why == nil {
			return fresh, err // another operator may have carried our record out
		}
	}
	return nil, r.clearAssignment(ctx, claim, why)
}

// recheckMember reads a recorded member on the API server. Without a reason it is ours; with one that says it has left, it never will be;
// with another one the pool still holds it.
func (r *Reconciler) recheckMember(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string, from *source,
) (*agentsv1beta1.Sandbox, *memberLostError, error) {
	fresh, err := getOrNil(ctx, r.live, types.NamespacedName{Namespace: claim.Namespace, Name: name}, &agentsv1beta1.Sandbox{})
	switch {
	case err != nil:
		return nil, nil, err
	case fresh == nil:
		return nil, &memberLostError{message: fmt.Sprintf("Sandbox %q was deleted before the claim got it; another follows", name), unavailable: true}, nil
	case controlledBy(fresh, claim.UID):
		return fresh, nil, nil
	case !from.mayAdopt(fresh):
		return nil, &memberLostError{message: fmt.Sprintf("Sandbox %q was taken or left its pool before the claim got it; another follows", name), unavailable: true}, nil
	default:
		return fresh, &memberLostError{message: fmt.Sprintf("Sandbox %q changed while the claim was to get it; another try follows", name)}, nil
	}
}

// verifyUnchanged makes sure that nobody changed or deleted the claim since its record was written: another operator may have
// dropped the record and moved on.
func (r *Reconciler) verifyUnchanged(ctx context.Context, claim *extensionsv1beta1.SandboxClaim) error {
	now, err := getOrNil(ctx, r.live, client.ObjectKeyFromObject(claim), &extensionsv1beta1.SandboxClaim{})
	switch {
	case err != nil:
		return err
	case now == nil || now.ResourceVersion != claim.ResourceVersion:
		return errorclass.ErrDeletedMeanwhile
	default:
		return nil
	}
}

// isStaleOrGone says that the server has another version of the object, or none.
func isStaleOrGone(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }
