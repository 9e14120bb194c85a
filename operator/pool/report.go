// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/notify"
	"github.com/agent-sandbox/kubectl-sandbox/operator/retry"
)

// statusDelay is how long a status may be behind while members come and go: a taken member that is replaced by then is no news.
const statusDelay = time.Second

// report writes the status if it differs and is due, once, over the object that the pass has seen. It returns when it is due.
func (r *Reconciler) report(
	ctx context.Context, pool *v1beta1.SandboxWarmPool, seen observed, done *results, now time.Time,
) (due time.Duration, err error) {
	r.announce(pool, seen, done)
	was, is := pool, pool.DeepCopy()
	is.Status = statusOf(pool, seen, done)
	if is.Status == was.Status {
		r.memory.said(pool.UID)
		return 0, nil
	}
	if !urgent(was, is) {
		if due := r.memory.unsaidSince(pool.UID, now).Add(statusDelay).Sub(now); due > 0 {
			return due, nil
		}
	}
	err = r.client.Status().Patch(ctx, is,
		client.MergeFromWithOptions(was, client.MergeFromWithOptimisticLock{}), client.FieldOwner(apis.FieldOwnerWarmPool))
	if apierrors.IsNotFound(err) {
		return 0, nil // the pool is gone
	}
	if err != nil {
		return 0, fmt.Errorf("patch status: %w", err)
	}
	r.memory.said(pool.UID)
	return 0, nil
}

// urgent: an answer to a new spec, and the word that all is well, are what somebody waits for.
func urgent(was, is *v1beta1.SandboxWarmPool) bool {
	s, wanted := is.Status, replicas(is)
	return s.ObservedGeneration != was.Status.ObservedGeneration || s.Selector != was.Status.Selector ||
		(int(s.Replicas) == wanted && int(s.ReadyReplicas) == wanted)
}

// statusOf is the whole status, after the writes of the pass.
func statusOf(pool *v1beta1.SandboxWarmPool, seen observed, done *results) v1beta1.SandboxWarmPoolStatus {
	all := make([]*agentsv1beta1.Sandbox, 0, len(seen.members)+len(done.joined))
	for _, member := range seen.live() {
		if !done.removed[member.UID] {
			all = append(all, member)
		}
	}
	all = append(all, done.joined...)
	count, prepared := len(all), 0
	for _, member := range all {
		if ready(member) && !finished(member) {
			prepared++
		}
	}
	for _, entry := range seen.flight.joining {
		if entry.sure {
			count++
		}
	}
	return v1beta1.SandboxWarmPoolStatus{
		ObservedGeneration: pool.Generation,
		Replicas:           int32(min(count, math.MaxInt32)),    //nolint:gosec // it fits
		ReadyReplicas:      int32(min(prepared, math.MaxInt32)), //nolint:gosec // it fits
		Selector:           selector(pool),
	}
}

// announce tells what only a person can change.
func (r *Reconciler) announce(pool *v1beta1.SandboxWarmPool, seen observed, done *results) {
	missing := ""
	if seen.template == nil {
		missing = pool.Spec.TemplateRef.Name
	}
	if r.memory.lacks(pool.UID, missing) && missing != "" {
		r.event(pool, apis.ReasonTemplateNotFound, fmt.Sprintf("SandboxTemplate %q does not exist, so no members are made: "+
			"create it, or name another one in spec.sandboxTemplateRef", missing))
	}
	for _, err := range done.errs {
		if apierrors.IsInvalid(err) || (apierrors.IsForbidden(err) && retry.ClassOf(err) != retry.Terminating) {
			r.event(pool, apis.ReasonMemberRejected, fmt.Sprintf("The API server refuses members of SandboxTemplate %q: %v",
				pool.Spec.TemplateRef.Name, err))
			return
		}
	}
}

// event warns.
func (r *Reconciler) event(about *v1beta1.SandboxWarmPool, reason apis.Reason, note string) {
	notify.Event(r.recorder, about, nil, corev1.EventTypeWarning, reason, "Reconcile", note)
}
