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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/retry"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// draw takes a warm Sandbox, or starts cold when there is none. One member is tried, never a second one.
func (r *Reconciler) draw(ctx context.Context, claim *extensionsv1beta1.SandboxClaim, d draw) (*agentsv1beta1.Sandbox, error) {
	lease, member, err := r.lease(ctx, d.from)
	if err != nil {
		return nil, err
	}
	if member == nil {
		r.metrics.Adoption(claim.Namespace, metrics.NoneAvailable)
		return r.take(ctx, claim, d.cold)
	}
	defer lease.Return()
	sandbox, err := r.adopt(ctx, claim, member, d.from)
	var gone *lost
	if err == nil || (errors.As(err, &gone) && gone.left) {
		lease.Keep()
	}
	return sandbox, err
}

// lease finds the best member that is still to be had by what the cache says of it now.
func (r *Reconciler) lease(ctx context.Context, from *source) (*warmqueue.Lease, *agentsv1beta1.Sandbox, error) {
	tried := map[types.UID]bool{}
	for {
		lease := r.queue.Lease(from.want, func(m warmqueue.Member) bool { return !tried[m.UID] && from.offers(m) }, r.leaving)
		if lease == nil {
			return nil, nil, nil
		}
		member, err := get(ctx, r.client, lease.NamespacedName, &agentsv1beta1.Sandbox{})
		if err == nil && member != nil && member.UID == lease.UID && from.mayTake(member) {
			return lease, member, nil
		}
		tried[lease.UID] = true
		lease.Return()
		if err != nil {
			return nil, nil, err
		}
	}
}

// adopt takes a member over, and counts what became of it.
func (r *Reconciler) adopt(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, member *agentsv1beta1.Sandbox, from *source,
) (*agentsv1beta1.Sandbox, error) {
	sandbox, err := r.takeOver(ctx, claim, member, from)
	r.metrics.Adoption(claim.Namespace, adoptionOf(err))
	if err == nil {
		r.metrics.Claimed(sandbox, from.holder(member).Name)
	}
	return sandbox, err
}

// takeOver records the member on the claim and then makes it the claim's. A pass that dies in between is continued by the next.
func (r *Reconciler) takeOver(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, member *agentsv1beta1.Sandbox, from *source,
) (*agentsv1beta1.Sandbox, error) {
	want, why := adopted(member, claim, from.template)
	if why != nil {
		return nil, why
	}
	if err := r.note(ctx, claim, member.Name); err != nil {
		return nil, err
	}
	err := r.patchSandbox(ctx, member, want)
	if err == nil {
		return want, nil
	}
	if !movedOn(err) {
		return nil, err // nobody knows whether it was carried out: the record stands
	}
	return r.adoptAgain(ctx, claim, member.Name, from)
}

// adoptAgain: the cache was behind. The member is looked at on the API server and, if the pool still holds it, tried once more;
// else the record goes, and another member may be taken in a later pass.
func (r *Reconciler) adoptAgain(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string, from *source,
) (*agentsv1beta1.Sandbox, error) {
	fresh, why, err := r.look(ctx, claim, name, from)
	if err != nil || why == nil {
		return fresh, err
	}
	if !why.left {
		if err := r.stillRecorded(ctx, claim); err != nil {
			return nil, err
		}
		want, refused := adopted(fresh, claim, from.template)
		if refused != nil {
			return nil, refused
		}
		if err := r.patchSandbox(ctx, fresh, want); err == nil {
			return want, nil
		} else if !movedOn(err) {
			return nil, err
		}
		if fresh, why, err = r.look(ctx, claim, name, from); err != nil || why == nil {
			return fresh, err // another operator may have carried our record out
		}
	}
	return nil, r.forget(ctx, claim, why)
}

// look reads a recorded member on the API server. Without a reason it is ours; with one that says it has left, it never will be;
// with another one the pool still holds it.
func (r *Reconciler) look(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, name string, from *source,
) (*agentsv1beta1.Sandbox, *lost, error) {
	fresh, err := get(ctx, r.live, types.NamespacedName{Namespace: claim.Namespace, Name: name}, &agentsv1beta1.Sandbox{})
	switch {
	case err != nil:
		return nil, nil, err
	case fresh == nil:
		return nil, &lost{text: fmt.Sprintf("Sandbox %q was deleted before the claim got it; another follows", name), left: true}, nil
	case controlledBy(fresh, claim.UID):
		return fresh, nil, nil
	case !from.mayTake(fresh):
		return nil, &lost{text: fmt.Sprintf("Sandbox %q was taken or left its pool before the claim got it; another follows", name), left: true}, nil
	default:
		return fresh, &lost{text: fmt.Sprintf("Sandbox %q changed while the claim was to get it; another try follows", name)}, nil
	}
}

// stillRecorded makes sure that nobody changed or deleted the claim since its record was written: another operator may have
// dropped the record and moved on.
func (r *Reconciler) stillRecorded(ctx context.Context, claim *extensionsv1beta1.SandboxClaim) error {
	now, err := get(ctx, r.live, client.ObjectKeyFromObject(claim), &extensionsv1beta1.SandboxClaim{})
	switch {
	case err != nil:
		return err
	case now == nil || now.ResourceVersion != claim.ResourceVersion:
		return retry.ErrWentMeanwhile
	default:
		return nil
	}
}

// movedOn says that the server has another version of the object, or none.
func movedOn(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }
