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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/events"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
)

// statusDelay is how long a status may be behind while members come and go: a taken member that is replaced by then is no news.
const statusDelay = time.Second

// report writes the status if it differs and is due, once, over the object that the pass has seen. It returns when it is due.
func (r *Reconciler) report(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen observed, done *results, now time.Time,
) (due time.Duration, err error) {
	r.recordEvents(pool, seen, done)
	was, is := pool, pool.DeepCopy()
	is.Status = statusOf(pool, seen, done)
	if equality.Semantic.DeepEqual(is.Status, was.Status) {
		r.expectations.StatusWritten(pool.UID)
		return 0, nil
	}
	if !mustWriteNow(was, is) {
		if due := r.expectations.StatusPendingSince(pool.UID, now).Add(statusDelay).Sub(now); due > 0 {
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
	r.expectations.StatusWritten(pool.UID)
	return 0, nil
}

// mustWriteNow: an answer to a new spec, and the word that all is well, are what somebody waits for.
func mustWriteNow(was, is *extensionsv1beta1.SandboxWarmPool) bool {
	s, wanted := is.Status, replicas(is)
	return s.ObservedGeneration != was.Status.ObservedGeneration || s.Selector != was.Status.Selector ||
		!equality.Semantic.DeepEqual(s.Members, was.Status.Members) || (int(s.Replicas) == wanted && int(s.ReadyReplicas) == wanted)
}

// statusOf is the whole status, after the writes of the pass.
func statusOf(pool *extensionsv1beta1.SandboxWarmPool, seen observed, done *results) extensionsv1beta1.SandboxWarmPoolStatus {
	all := make([]*agentsv1beta1.Sandbox, 0, len(seen.members)+len(done.added))
	for _, member := range seen.activeMembers() {
		if !done.removed[member.UID] {
			all = append(all, member)
		}
	}
	all = append(all, done.added...)
	count, prepared := len(all), 0
	for _, member := range all {
		if ready(member) && !finished(member) {
			prepared++
		}
	}
	for _, entry := range seen.pending.creations {
		if entry.confirmed {
			count++
		}
	}
	return extensionsv1beta1.SandboxWarmPoolStatus{
		ObservedGeneration: pool.Generation,
		Replicas:           int32(min(count, math.MaxInt32)),    //nolint:gosec // it fits
		ReadyReplicas:      int32(min(prepared, math.MaxInt32)), //nolint:gosec // it fits
		Selector:           podSelector(pool),
		Members:            &extensionsv1beta1.SandboxWarmPoolMembers{Revisions: revisionsOf(pool, seen)},
	}
}

// revisionsOf lists the contents of the members, the oldest first. While some are on their way nothing is dropped: they may be of it.
func revisionsOf(pool *extensionsv1beta1.SandboxWarmPool, seen observed) []string {
	var all []string
	if pool.Status.Members != nil {
		all = slices.Clone(pool.Status.Members.Revisions)
	}
	there := map[string]bool{seen.currentRevision: true}
	for _, member := range seen.members {
		there[seen.contents[member.UID].revision] = true
	}
	if len(seen.pending.creations) == 0 {
		all = slices.DeleteFunc(all, func(revision string) bool { return !there[revision] })
	}
	for _, revision := range slices.Sorted(maps.Keys(there)) {
		if revision != "" && revision != seen.currentRevision && !slices.Contains(all, revision) {
			all = append(all, revision)
		}
	}
	if seen.currentRevision != "" && !slices.Contains(all, seen.currentRevision) {
		all = append(all, seen.currentRevision)
	}
	return all[max(0, len(all)-provenance.MaxRevisions):]
}

// blockedCauses counts what keeps members from being Ready, or from being made.
func blockedCauses(pool *extensionsv1beta1.SandboxWarmPool, seen observed, done *results) map[podreason.Cause]int {
	causes, live := map[podreason.Cause]int{}, seen.activeMembers()
	add := func(cause podreason.Cause, count int) {
		if cause != podreason.None && count > 0 {
			causes[cause] += count
		}
	}
	if seen.template == nil {
		add(podreason.TemplateNotFound, replicas(pool)) // what goes is not replaced
	}
	for _, member := range live {
		add(seen.pods[member.UID].cause, 1)
	}
	if done.rejected() != nil {
		add(podreason.MemberRejected, replicas(pool)-len(live))
	}
	return causes
}

// rejected is the API server's answer to a member that it does not take; nil if there is none.
func (r *results) rejected() error {
	for _, err := range r.errs {
		if apierrors.IsInvalid(err) || (apierrors.IsForbidden(err) && errorclass.Of(err) != errorclass.Terminating) {
			return err
		}
	}
	return nil
}

// recordEvents tells what only a person can change.
func (r *Reconciler) recordEvents(pool *extensionsv1beta1.SandboxWarmPool, seen observed, done *results) {
	missing := ""
	if seen.template == nil {
		missing = pool.Spec.TemplateRef.Name
	}
	if r.expectations.TemplateMissing(pool.UID, missing) && missing != "" {
		r.warn(pool, apis.ReasonTemplateNotFound, fmt.Sprintf("SandboxTemplate %q does not exist, so no members are made: "+
			"create it, or name another one in spec.sandboxTemplateRef", missing))
	}
	if note := foreignDeletionNote(seen.foreign, done.removed); note != "" {
		r.warn(pool, apis.ReasonForeignMember, note)
	}
	if err := done.rejected(); err != nil {
		r.warn(pool, apis.ReasonMemberRejected, fmt.Sprintf("The API server refuses members of SandboxTemplate %q: %v",
			pool.Spec.TemplateRef.Name, err))
	}
}

// foreignDeletionNote says which Sandboxes went because the pool has not made them; empty if none did.
func foreignDeletionNote(foreign []*agentsv1beta1.Sandbox, removed map[types.UID]bool) string {
	const most = 5 // of thousands
	var gone []string
	for _, sandbox := range foreign {
		if removed[sandbox.UID] {
			gone = append(gone, sandbox.Name)
		}
	}
	slices.Sort(gone)
	names := strings.Join(gone[:min(most, len(gone))], ", ")
	if more := len(gone) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	if names == "" {
		return ""
	}
	return "Deleted " + names + ": named this pool as the controller, but the content was not what the pool makes; somebody created or edited it"
}

// warn warns.
func (r *Reconciler) warn(about *extensionsv1beta1.SandboxWarmPool, reason apis.Reason, note string) {
	events.Record(r.recorder, about, nil, corev1.EventTypeWarning, reason, "Reconcile", note)
}
