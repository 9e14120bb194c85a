// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// plan lists everything that a reconcile does.
type plan struct {
	remove []*agentsv1beta1.Sandbox // first members to replace, then surplus members
	// relabel lists the members with edited labels.
	relabel []relabeling
	adopt   []*agentsv1beta1.Sandbox
	create  int // new members that somebody waits for
	// refill is the number of new members that nobody waits for, refillParallelism the largest number of requests in
	// flight, and refillAgain the delay until more of them are due, or zero: see fill.
	refill, refillParallelism int
	refillAgain               time.Duration
	// coversClaims says that there are enough members for the claims that wait: see observed.coverClaims.
	coversClaims bool
	adoptions    adoptions // those that are not replaced yet
	// recheckPool requires that the API server confirms the pool before orphans are adopted or deleted.
	recheckPool  bool
	requeueAfter time.Duration // zero: only an event triggers the next reconcile
}

// relabeling is a member as it is, and with the right labels.
type relabeling struct{ current, desired *agentsv1beta1.Sandbox }

// requeueWithin lowers requeueAfter to a delay. Zero or less means no delay.
func (p *plan) requeueWithin(delay time.Duration) {
	p.requeueAfter = waits.Sooner(p.requeueAfter, delay)
}

// observed is the state of the cluster at the start of a reconcile. Its Sandboxes belong to the cache: do not modify
// them.
type observed struct {
	members []*agentsv1beta1.Sandbox // controlled by the pool
	// foreign Sandboxes name the pool as their controller, but the pool did not create them.
	foreign         []*agentsv1beta1.Sandbox
	orphans         []*agentsv1beta1.Sandbox           // with the pool's label and without a controller
	template        *extensionsv1beta1.SandboxTemplate // nil if it does not exist
	blueprintHash   string
	currentRevision string                 // of the template
	contents        map[types.UID]content  // of members, foreign Sandboxes and orphans
	pods            map[types.UID]podState // of members that are not Ready and not new
	podRecheckAfter time.Duration          // when to examine the Pods again; zero if every member is Ready
	pending         pendingWrites          // without those that members show
	adoptions       adoptions              // of the last reconcile, without those that it replaced
	taken           int                    // members that claims took since the last reconcile
	claims          claimsfirst.Claims     // the claims that wait, of any pool
	bucket          tokenBucket
}

// podState is the state of a member that only its Pod shows.
type podState struct {
	unschedulable bool
	cause         podreason.Cause
	scheduledAt   time.Time // zero if the Pod has no node
}

// activeMembers returns the members that are not being deleted.
func (o observed) activeMembers() []*agentsv1beta1.Sandbox {
	active := make([]*agentsv1beta1.Sandbox, 0, len(o.members))
	for _, member := range o.members {
		if !o.isBeingDeleted(member) {
			active = append(active, member)
		}
	}
	return active
}

func (o observed) isBeingDeleted(sandbox *agentsv1beta1.Sandbox) bool {
	_, deleted := o.pending.deletions[sandbox.UID]
	return deleted || sandbox.DeletionTimestamp != nil
}

// isBeingAdopted reports whether the pool already wrote its controller reference to an orphan.
func (o observed) isBeingAdopted(orphan *agentsv1beta1.Sandbox) bool {
	_, expected := o.pending.creations[orphan.Name]
	return expected
}

// decide compares the observed state with the spec and returns a plan. It is a pure function.
func decide(now time.Time, pool *extensionsv1beta1.SandboxWarmPool, seen observed, o Options) plan {
	var p plan
	var keep []*agentsv1beta1.Sandbox
	for _, foreign := range seen.foreign {
		if !seen.isBeingDeleted(foreign) {
			p.remove = append(p.remove, foreign)
		}
	}
	for _, orphan := range seen.orphans {
		if seen.template != nil && deletableOrphan(pool, orphan, seen) {
			p.remove = append(p.remove, orphan)
			p.recheckPool = true
		}
	}
	for _, member := range seen.activeMembers() {
		replace, recheckAfter := shouldReplace(now, pool, member, seen, o)
		p.requeueWithin(recheckAfter)
		if replace {
			p.remove = append(p.remove, member)
		} else {
			keep = append(keep, member)
		}
	}
	wanted := replicas(pool)
	if surplus := min(len(keep)+len(seen.pending.creations)-wanted, len(keep)); surplus > 0 {
		slices.SortFunc(keep, byDeletionPriority)
		p.remove = append(p.remove, keep[:surplus]...)
		keep = keep[surplus:]
	}
	for _, member := range keep {
		if desired := withCorrectLabels(pool, member, seen.blueprintHash); desired != nil && len(p.relabel) < o.MaxBatch {
			p.relabel = append(p.relabel, relabeling{member, desired})
		}
	}
	if len(p.remove) > o.MaxBatch {
		p.remove = p.remove[:o.MaxBatch]
		p.requeueWithin(waits.NextBatch)
	}
	if len(seen.pending.creations) > 0 {
		p.requeueWithin(waits.CacheLag) // the watch normally triggers a reconcile sooner
	}
	// Members that are being deleted, and pending creations, take up room.
	missing := wanted - len(seen.members) - len(seen.pending.creations)
	p.adoptions = seen.adoptions.next(seen.taken, missing, now)
	if missing > 0 && seen.template != nil {
		p.fill(missing, wanted, countReady(keep), now, seen, o)
	}
	return p
}

// shouldReplace reports whether to replace a member that is not being deleted. If that depends on time, recheckAfter is
// the delay before the next decision. Without a template no member is replaced.
func shouldReplace(
	now time.Time, pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, seen observed, o Options,
) (replace bool, recheckAfter time.Duration) {
	switch {
	case seen.template == nil:
		return false, 0
	case pool.Recreates() && outdated(member, seen):
		return true, 0
	case isFinished(member):
		recheckAfter = member.CreationTimestamp.Add(waits.MinReplacementAge).Sub(now)
		return recheckAfter <= 0, recheckAfter
	}
	deadline := readyDeadline(member, o)
	if deadline.IsZero() {
		return false, 0
	}
	if now.Before(deadline) {
		return false, deadline.Sub(now)
	}
	pod, known := seen.pods[member.UID]
	podDeadline := pod.scheduledAt.Add(o.ReadinessGracePeriod)
	switch {
	case known && pod.unschedulable:
		return false, o.UnschedulableRecheck
	case known && now.Before(podDeadline):
		return false, podDeadline.Sub(now)
	}
	return true, 0
}

// readyDeadline returns when the grace period of a member that is not Ready ends, or zero for a Ready member.
func readyDeadline(member *agentsv1beta1.Sandbox, o Options) time.Time {
	condition := apis.FindCondition(member.Status.Conditions, apis.ConditionReady)
	switch {
	case condition == nil:
		return member.CreationTimestamp.Add(o.ReadinessGracePeriod)
	case isReady(member):
		return time.Time{}
	}
	return condition.LastTransitionTime.Add(o.ReadinessGracePeriod)
}

func isReady(member *agentsv1beta1.Sandbox) bool {
	return apis.ConditionTrue(member.Status.Conditions, apis.ConditionReady)
}

// countReady counts the members that a claim can use now.
func countReady(members []*agentsv1beta1.Sandbox) (count int) {
	for _, member := range members {
		if isReady(member) && !isFinished(member) {
			count++
		}
	}
	return count
}

func isFinished(member *agentsv1beta1.Sandbox) bool {
	return apis.ConditionTrue(member.Status.Conditions, apis.ConditionFinished)
}

func replicas(pool *extensionsv1beta1.SandboxWarmPool) int {
	if pool.Spec.Replicas == nil {
		return 1 // the schema's default
	}
	return int(*pool.Spec.Replicas)
}

// outdated reports whether a member was created from another template, or from another version of the template.
func outdated(member *agentsv1beta1.Sandbox, seen observed) bool {
	return member.Labels[apis.LabelSandboxTemplateRefHash] != naming.Hash(seen.template.Name) ||
		seen.contents[member.UID].blueprintHash != seen.blueprintHash
}

// adoptable reports whether the pool may adopt an orphan. The content decides, because anybody can write labels.
func adoptable(orphan *agentsv1beta1.Sandbox, seen observed) bool {
	return !seen.isBeingAdopted(orphan) && orphan.DeletionTimestamp == nil && !isFinished(orphan) &&
		seen.contents[orphan.UID].revision == seen.currentRevision &&
		orphan.Labels[apis.LabelSandboxTemplateRefHash] == naming.Hash(seen.template.Name)
}

// deletableOrphan reports whether an orphan is an outdated and unchanged member of a deleted pool of the same name. No
// claim can adopt it. A copy of a member, or an edited one, belongs to a user and is not deleted.
func deletableOrphan(pool *extensionsv1beta1.SandboxWarmPool, orphan *agentsv1beta1.Sandbox, seen observed) bool {
	suspended, _ := orphan.Spec.SuspensionRequested()
	suffix, hasPrefix := strings.CutPrefix(orphan.Name, pool.Name+"-")
	c := seen.contents[orphan.UID]
	return !seen.isBeingAdopted(orphan) && !seen.isBeingDeleted(orphan) && !suspended && orphan.Spec.ShutdownTime == nil &&
		hasPrefix && len(suffix) == suffixLength && c.revision != "" && c.blueprintHash != seen.blueprintHash &&
		c.blueprintHash == orphan.Labels[apis.LabelSandboxPodTemplateHash]
}

// byDeletionPriority sorts members that are not Ready before Ready ones, then newer before older ones.
func byDeletionPriority(a, b *agentsv1beta1.Sandbox) int {
	if isReady(a) != isReady(b) {
		if isReady(b) {
			return -1
		}
		return 1
	}
	return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}
