// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/events"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// report records events and writes the status if it differs and is due. The patch carries the observed resource
// version, so a status computed from an old version is never written. It returns the delay until the status is due.
func (r *Reconciler) report(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen observed, done *results, now time.Time,
) (due time.Duration, err error) {
	r.recordEvents(pool, seen, done)
	desired := pool.DeepCopy()
	desired.Status = statusOf(pool, seen, done)
	if equality.Semantic.DeepEqual(desired.Status, pool.Status) {
		r.states.recordStatusWritten(pool.UID)
		return 0, nil
	}
	if !mustWriteNow(pool, desired) {
		since := r.states.recordStatusPending(pool.UID, now)
		if due := since.Add(waits.PoolStatus).Sub(now); due > 0 {
			return due, nil
		}
		if hold := r.gate.Hold(claimsfirst.PoolStatus, holdKey(pool, since)); hold > 0 {
			return hold, nil
		}
	}
	err = r.client.Status().Patch(ctx, desired,
		client.MergeFromWithOptions(pool, client.MergeFromWithOptimisticLock{}), client.FieldOwner(apis.FieldOwnerWarmPool))
	if apierrors.IsNotFound(err) {
		return 0, nil // the pool was deleted
	}
	if err != nil {
		return 0, fmt.Errorf("patch status: %w", err)
	}
	r.states.recordStatusWritten(pool.UID)
	return 0, nil
}

// mustWriteNow reports whether clients wait for the status: it answers a new spec, or all members are Ready.
func mustWriteNow(current, desired *extensionsv1beta1.SandboxWarmPool) bool {
	s, wanted := desired.Status, replicas(desired)
	return s.ObservedGeneration != current.Status.ObservedGeneration || s.Selector != current.Status.Selector ||
		!equality.Semantic.DeepEqual(s.Members, current.Status.Members) ||
		(int(s.Replicas) == wanted && int(s.ReadyReplicas) == wanted)
}

// statusOf returns the complete status after the writes of the reconcile.
func statusOf(
	pool *extensionsv1beta1.SandboxWarmPool, seen observed, done *results,
) extensionsv1beta1.SandboxWarmPoolStatus {
	all := make([]*agentsv1beta1.Sandbox, 0, len(seen.members)+len(done.added))
	for _, member := range seen.activeMembers() {
		if !done.removed[member.UID] {
			all = append(all, member)
		}
	}
	all = append(all, done.added...)
	count, readyCount := len(all), countReady(all)
	for _, creation := range seen.pending.creations {
		if creation.confirmed {
			count++
		}
	}
	return extensionsv1beta1.SandboxWarmPoolStatus{
		ObservedGeneration: pool.Generation,
		Replicas:           int32(min(count, math.MaxInt32)),      //nolint:gosec // it fits
		ReadyReplicas:      int32(min(readyCount, math.MaxInt32)), //nolint:gosec // it fits
		Selector:           podSelector(pool),
		Members:            &extensionsv1beta1.SandboxWarmPoolMembers{Revisions: revisionsOf(pool, seen)},
	}
}

// revisionsOf lists the revisions of the members, the oldest first. While creations are pending it drops none, because
// the new Sandboxes may have any of them.
func revisionsOf(pool *extensionsv1beta1.SandboxWarmPool, seen observed) []string {
	var all []string
	if pool.Status.Members != nil {
		all = slices.Clone(pool.Status.Members.Revisions)
	}
	inUse := map[string]bool{seen.currentRevision: true}
	for _, member := range seen.members {
		inUse[seen.contents[member.UID].revision] = true
	}
	if len(seen.pending.creations) == 0 {
		all = slices.DeleteFunc(all, func(revision string) bool { return !inUse[revision] })
	}
	for _, revision := range slices.Sorted(maps.Keys(inUse)) {
		if revision != "" && revision != seen.currentRevision && !slices.Contains(all, revision) {
			all = append(all, revision)
		}
	}
	if seen.currentRevision != "" && !slices.Contains(all, seen.currentRevision) {
		all = append(all, seen.currentRevision)
	}
	return all[max(0, len(all)-provenance.MaxRevisions):]
}

// blockedCauses counts the members that are not Ready or cannot be created, by cause.
func blockedCauses(pool *extensionsv1beta1.SandboxWarmPool, seen observed, done *results) map[podreason.Cause]int {
	causes, active := map[podreason.Cause]int{}, seen.activeMembers()
	add := func(cause podreason.Cause, count int) {
		if cause != podreason.None && count > 0 {
			causes[cause] += count
		}
	}
	if seen.template == nil {
		add(podreason.TemplateNotFound, replicas(pool)) // no member is replaced
	}
	for _, member := range active {
		add(seen.pods[member.UID].cause, 1)
	}
	if done.rejection() != nil {
		add(podreason.MemberRejected, replicas(pool)-len(active))
	}
	return causes
}

// rejection returns the API server's refusal of a member, or nil.
func (d *results) rejection() error {
	for _, err := range d.errs {
		if apierrors.IsInvalid(err) || (apierrors.IsForbidden(err) && errorclass.Of(err) != errorclass.Terminating) {
			return err
		}
	}
	return nil
}

// recordEvents warns about problems that only a person can solve.
func (r *Reconciler) recordEvents(pool *extensionsv1beta1.SandboxWarmPool, seen observed, done *results) {
	missing := ""
	if seen.template == nil {
		missing = pool.Spec.TemplateRef.Name
	}
	if r.states.recordMissingTemplate(pool.UID, missing) && missing != "" {
		r.warn(pool, apis.ReasonTemplateNotFound,
			fmt.Sprintf("SandboxTemplate %q does not exist, so the pool creates no members: "+
				"create it, or change spec.sandboxTemplateRef", missing))
	}
	if note := foreignDeletionNote(seen.foreign, done.removed); note != "" {
		r.warn(pool, apis.ReasonForeignMember, note)
	}
	if err := done.rejection(); err != nil {
		r.warn(pool, apis.ReasonMemberRejected, fmt.Sprintf("The API server rejects members of SandboxTemplate %q: %v",
			pool.Spec.TemplateRef.Name, err))
	}
}

// foreignDeletionNote lists the foreign Sandboxes that were deleted; empty if none was.
func foreignDeletionNote(foreign []*agentsv1beta1.Sandbox, removed map[types.UID]bool) string {
	const maxNames = 5
	var deleted []string
	for _, sandbox := range foreign {
		if removed[sandbox.UID] {
			deleted = append(deleted, sandbox.Name)
		}
	}
	slices.Sort(deleted)
	names := strings.Join(deleted[:min(maxNames, len(deleted))], ", ")
	if more := len(deleted) - maxNames; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	if names == "" {
		return ""
	}
	return "Deleted " + names + ": their owner reference named this pool, but the pool did not create their content; " +
		"somebody created or edited them"
}

func (r *Reconciler) warn(pool *extensionsv1beta1.SandboxWarmPool, reason apis.Reason, note string) {
	events.Record(r.recorder, pool, nil, corev1.EventTypeWarning, reason, apis.ActionReconcile, note)
}
