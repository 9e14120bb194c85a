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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

const (
	// finishedPause is the least age at which a finished member is replaced: one that ends as soon as it starts would be made
	// anew without a pause.
	finishedPause = 10 * time.Second
	// batchPause is between two full batches: others get their turn.
	batchPause = 100 * time.Millisecond
	// throttledBatch is the largest batch while claims keep taking members: then one looks again whether they still do.
	throttledBatch = 20
)

// plan is everything that a pass will do.
type plan struct {
	remove  []*agentsv1beta1.Sandbox // of no use first, then surplus
	relabel []relabeling
	adopt   []*agentsv1beta1.Sandbox
	create  int
	// recheck: what nobody controls is to be taken or deleted, which only a pool that stays may do.
	recheckPool  bool
	throttled    bool          // claims are being served: leave the API server to them
	complete     bool          // nothing is missing
	requeueAfter time.Duration // when to look again though nothing happens; zero: never
}

// relabeling is a member whose labels somebody edited, as it is and as it should be.
type relabeling struct{ current, desired *agentsv1beta1.Sandbox }

// requeueWithin brings the time of the next look forward.
func (p *plan) requeueWithin(in time.Duration) { p.requeueAfter = waits.Sooner(p.requeueAfter, in) }

// decide compares the members with what is asked for. It touches nothing.
func decide(now time.Time, pool *extensionsv1beta1.SandboxWarmPool, seen observed, o Options) plan {
	var p plan
	var fit []*agentsv1beta1.Sandbox
	for _, foreign := range seen.foreign {
		if _, leaving := seen.pending.deletions[foreign.UID]; !leaving && foreign.DeletionTimestamp == nil {
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
		useless, again := shouldReplace(now, pool, member, seen, o)
		p.requeueWithin(again)
		if useless {
			p.remove = append(p.remove, member)
		} else {
			fit = append(fit, member)
		}
	}
	wanted := replicas(pool)
	if surplus := min(len(fit)+len(seen.pending.creations)-wanted, len(fit)); surplus > 0 {
		slices.SortFunc(fit, byDeletionPriority)
		p.remove = append(p.remove, fit[:surplus]...)
		fit = fit[surplus:]
	}
	for _, member := range fit {
		if want := relabeled(pool, member, seen.templateHash); want != nil && len(p.relabel) < o.MaxBatch {
			p.relabel = append(p.relabel, relabeling{member, want})
		}
	}
	if len(p.remove) > o.MaxBatch {
		p.remove = p.remove[:o.MaxBatch]
		p.requeueWithin(batchPause)
	}
	if len(seen.pending.creations) > 0 {
		p.requeueWithin(doubt) // the watch should be sooner
	}
	// Members that are going, and those that nobody has seen yet, take up room.
	room := wanted - len(seen.members) - len(seen.pending.creations)
	p.complete = room <= 0
	if !p.complete && seen.template != nil {
		p.refill(room, slices.ContainsFunc(fit, ready), now, seen, o)
	}
	return p
}

// refill decides how room is taken up: by orphans that would do, and by new ones as far as claims and the pace let it. While there
// are members to serve claims with, claims go first.
func (p *plan) refill(room int, serves bool, now time.Time, seen observed, o Options) {
	batch := min(room, o.MaxBatch)
	if p.throttled = o.claimsActive(seen.pending.adoptions, now); p.throttled {
		batch = min(batch, throttledBatch)
	}
	for _, orphan := range seen.orphans {
		if len(p.adopt) < batch && adoptable(orphan, seen) {
			p.adopt, p.recheckPool = append(p.adopt, orphan), true
		}
	}
	p.create = batch - len(p.adopt)
	if hold := o.refillDelayLeft(seen.pending.adoptions, now); serves && p.create > 0 && hold > 0 {
		p.create = 0
		p.requeueWithin(hold)
		return
	}
	var next time.Duration
	p.create, next = seen.bucket.allow(p.create, o.RefillRate)
	if next == 0 && batch < room {
		next = batchPause
	}
	p.requeueWithin(next)
}

// shouldReplace says whether a live member is of no use, and, if it may become so by waiting, when to look again. Without a template
// nothing could replace it.
func shouldReplace(
	now time.Time, pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, seen observed, o Options,
) (useless bool, again time.Duration) {
	switch {
	case seen.template == nil:
		return false, 0
	case recreates(pool) && outdated(member, seen):
		return true, 0
	case finished(member):
		again = member.CreationTimestamp.Add(finishedPause).Sub(now)
		return again <= 0, again
	}
	due := readyDeadline(member, o)
	if due.IsZero() || now.Before(due) {
		return false, until(due, now)
	}
	pod, known := seen.pods[member.UID]
	switch {
	case known && pod.unschedulable:
		return false, o.UnschedulableRecheck
	case known && now.Before(pod.scheduledAt.Add(o.ReadinessGracePeriod)):
		return false, until(pod.scheduledAt.Add(o.ReadinessGracePeriod), now)
	}
	return true, 0
}

func until(due, now time.Time) time.Duration {
	if due.IsZero() {
		return 0
	}
	return due.Sub(now)
}

// readyDeadline is when a member that is not Ready should have been; zero for one that is.
func readyDeadline(member *agentsv1beta1.Sandbox, o Options) time.Time {
	condition := apis.FindCondition(member.Status.Conditions, apis.ConditionReady)
	switch {
	case condition == nil:
		return member.CreationTimestamp.Add(o.ReadinessGracePeriod)
	case ready(member):
		return time.Time{}
	}
	return condition.LastTransitionTime.Add(o.ReadinessGracePeriod)
}

func ready(member *agentsv1beta1.Sandbox) bool {
	return apis.ConditionTrue(member.Status.Conditions, apis.ConditionReady)
}

func finished(member *agentsv1beta1.Sandbox) bool {
	return apis.ConditionTrue(member.Status.Conditions, apis.ConditionFinished)
}

func recreates(pool *extensionsv1beta1.SandboxWarmPool) bool {
	strategy := pool.Spec.UpdateStrategy
	return strategy != nil && strategy.Type == extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType
}

func replicas(pool *extensionsv1beta1.SandboxWarmPool) int {
	if pool.Spec.Replicas == nil {
		return 1 // the schema's default
	}
	return int(*pool.Spec.Replicas)
}

// outdated says whether a member is of another template, or of another blueprint than the template's.
func outdated(member *agentsv1beta1.Sandbox, seen observed) bool {
	return member.Labels[apis.LabelSandboxTemplateRefHash] != naming.Hash(seen.template.Name) ||
		seen.contents[member.UID].templateHash != seen.templateHash
}

// adoptable says whether an orphan would do as a member. Anybody may have written its labels, so the content decides.
func adoptable(orphan *agentsv1beta1.Sandbox, seen observed) bool {
	_, coming := seen.pending.creations[orphan.Name]
	return !coming && orphan.DeletionTimestamp == nil && !finished(orphan) && seen.contents[orphan.UID].revision == seen.currentRevision &&
		orphan.Labels[apis.LabelSandboxTemplateRefHash] == naming.Hash(seen.template.Name)
}

// deletableOrphan says whether an orphan is a stale member as a pool of the name left it: nothing about it was changed since, and nobody can
// get it any more. What somebody made by copying a member, or has changed, is not the pool's to delete.
func deletableOrphan(pool *extensionsv1beta1.SandboxWarmPool, orphan *agentsv1beta1.Sandbox, seen observed) bool {
	_, coming := seen.pending.creations[orphan.Name]
	_, leaving := seen.pending.deletions[orphan.UID]
	asleep, _ := orphan.Spec.SuspensionRequested()
	suffix, named := strings.CutPrefix(orphan.Name, pool.Name+"-")
	is := seen.contents[orphan.UID]
	return !coming && !leaving && !asleep && orphan.DeletionTimestamp == nil && orphan.Spec.ShutdownTime == nil &&
		named && len(suffix) == suffixLength && is.revision != "" && is.templateHash != seen.templateHash &&
		is.templateHash == orphan.Labels[apis.LabelSandboxPodTemplateHash]
}

// byDeletionPriority orders by what is least missed: not Ready before Ready, then the newest.
func byDeletionPriority(a, b *agentsv1beta1.Sandbox) int {
	if ready(a) != ready(b) {
		if ready(b) {
			return -1
		}
		return 1
	}
	return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}

// podState is what only the Pod of a member tells.
type podState struct {
	unschedulable bool
	cause         podreason.Cause
	scheduledAt   time.Time // when it got its node
}

// observed is what the cluster held when the pass began.
type observed struct {
	members         []*agentsv1beta1.Sandbox           // those that the pool controls; the cache's own: not to be changed
	foreign         []*agentsv1beta1.Sandbox           // those that name the pool as their controller and are not of its making
	orphans         []*agentsv1beta1.Sandbox           // those of the pool's label that nobody controls
	template        *extensionsv1beta1.SandboxTemplate // nil: there is none
	templateHash    string                             // its hash
	currentRevision string                             // the revision that is made from it
	contents        map[types.UID]content              // of members, of what is foreign and of orphans
	pods            map[types.UID]podState             // of members that are not Ready and not just made
	podRecheckAfter time.Duration                      // when to look at those again; zero: there are none
	pending         pendingWrites                      // without what the members show
	bucket          tokenBucket
}

// activeMembers lists the members that are there to stay, as far as anybody knows.
func (s observed) activeMembers() []*agentsv1beta1.Sandbox {
	all := make([]*agentsv1beta1.Sandbox, 0, len(s.members))
	for _, member := range s.members {
		if _, leaving := s.pending.deletions[member.UID]; !leaving && member.DeletionTimestamp == nil {
			all = append(all, member)
		}
	}
	return all
}
