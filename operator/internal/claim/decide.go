// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
)

// step is what a pass does about a claim. The set is closed.
type step interface{ isStep() }

type (
	// keep: the Sandbox is ours already.
	keep struct {
		sandbox *agentsv1beta1.Sandbox
		want    *agentsv1beta1.Sandbox   // with the keys we own made right; nil: they are right
		surplus []*agentsv1beta1.Sandbox // others of ours, that two operators at a time may leave behind
		problem error                    // with what the claim asks for beyond it
	}
	// replace: our Sandbox is being deleted; a new one follows when it is gone.
	replace struct{ sandbox *agentsv1beta1.Sandbox }
	// resume: a pass before this one recorded a member and did not get to take it.
	resume struct {
		member *agentsv1beta1.Sandbox
		from   *source
	}
	// forget: what is recorded cannot become ours.
	forget struct{ name string }
	// draw: take a warm Sandbox if there is one, else start cold.
	draw struct {
		from *source
		cold step // create or reject
	}
	// create: start cold.
	create struct{ sandbox *agentsv1beta1.Sandbox }
	// reject: a person must change something first, or an object must go.
	reject struct{ why *refusal }
	// end: the claim's time is over.
	end struct {
		policy    extensionsv1beta1.ShutdownPolicy
		sandboxes []*agentsv1beta1.Sandbox // ours, those that are on their way out included
	}
)

func (keep) isStep()    {}
func (replace) isStep() {}
func (resume) isStep()  {}
func (forget) isStep()  {}
func (draw) isStep()    {}
func (create) isStep()  {}
func (reject) isStep()  {}
func (end) isStep()     {}

// deadlineOf is when the claim is over. A Sandbox that has finished counts before the claim's status says so; without one, what
// the status kept does.
func deadlineOf(claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox) lifecycle.Deadline {
	if claim.Spec.Lifecycle == nil {
		return lifecycle.Deadline{}
	}
	conditions := claim.Status.Conditions
	if sandbox != nil {
		conditions = sandbox.Status.Conditions
	}
	return lifecycle.Of(claim.Spec.Lifecycle.ShutdownTime, claim.Spec.Lifecycle.TTLSecondsAfterFinished, conditions)
}

// nextStep decides what to do about a claim. It touches nothing.
func nextStep(now time.Time, claim *extensionsv1beta1.SandboxClaim, seen observed) step {
	ours := inOrder(claim, seen.ours(claim))
	if deadlineOf(claim, first(ours)).Reached(now) {
		return end{policy: cmp.Or(claim.Spec.Lifecycle.ShutdownPolicy, extensionsv1beta1.ShutdownPolicyRetain), sandboxes: ours}
	}
	if len(ours) > 0 {
		return nextForOwner(claim, ours, seen.template)
	}
	if seen.recorded != nil && bound(seen.recorded, claim) {
		return reject{takenAway(seen.recorded)}
	}
	if why := checkMetadata(claim); why != nil {
		return reject{why}
	}
	from, why := sourceOf(claim, seen)
	if why != nil {
		return reject{why}
	}
	switch {
	case seen.recorded != nil && from.mayTake(seen.recorded):
		return resume{member: seen.recorded, from: from}
	case seen.recorded != nil && noteOf(claim) != "":
		return forget{noteOf(claim)}
	case seen.kept != "":
		return nextCold(claim, seen.kept, from, seen)
	}
	cold := nextCold(claim, claim.Name, from, seen)
	if noteOf(claim) == claim.Name || len(from.pools) == 0 {
		return cold // a creation under our name may be on its way: nothing else may be tried
	}
	return draw{from: from, cold: cold}
}

// nextForOwner decides for a claim that has its Sandbox.
func nextForOwner(claim *extensionsv1beta1.SandboxClaim, ours []*agentsv1beta1.Sandbox, template *extensionsv1beta1.SandboxTemplate) step {
	if ours[0].DeletionTimestamp != nil {
		return replace{ours[0]}
	}
	k := keep{sandbox: ours[0]}
	for _, other := range ours[1:] {
		if other.DeletionTimestamp == nil {
			k.surplus = append(k.surplus, other)
		}
	}
	want := ours[0].DeepCopy()
	if !controlledBy(want, claim.UID) {
		own(want, claim)
	}
	setIdentity(want, claim)
	if why := checkMetadata(claim); why != nil {
		k.problem = why
	} else if why := setMetadata(want, claim, template); why != nil {
		k.problem = why
	}
	if !equality.Semantic.DeepEqual(want, ours[0]) {
		k.want = want
	}
	return k
}

// takenAway says that somebody gave the claim's Sandbox another controller. The claim takes no other one meanwhile: that would be empty.
func takenAway(sandbox *agentsv1beta1.Sandbox) *refusal {
	controller := metav1.GetControllerOf(sandbox)
	why := refuse(apis.ReasonReconcilerError, "Sandbox %q of this claim is controlled by %s %q: remove that owner reference, and the claim "+
		"takes the Sandbox back, or delete the Sandbox, and another follows", sandbox.Name, controller.Kind, controller.Name)
	why.blocked = true
	return why
}

// nextCold decides about a new Sandbox of the name.
func nextCold(claim *extensionsv1beta1.SandboxClaim, name string, from *source, seen observed) step {
	if seen.named != nil && name == claim.Name {
		return reject{inTheWay(claim, seen.named)}
	}
	sandbox, why := cold(claim, name, from.template)
	if why != nil {
		return reject{why}
	}
	return create{sandbox}
}

// inTheWay says why a new Sandbox cannot have the claim's name, and what to do.
func inTheWay(claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox) *refusal {
	controller := metav1.GetControllerOf(sandbox)
	why := refuse(apis.ReasonReconcilerError, "Sandbox %q exists and does not belong to this claim: delete it, or give the claim "+
		"another name", sandbox.Name)
	switch {
	case sandbox.DeletionTimestamp != nil, controller != nil && isClaim(controller) && controller.Name == claim.Name:
		why = refuse(apis.ReasonSandboxMissing, "Sandbox %q of an earlier claim of this name is being deleted; a new one follows",
			sandbox.Name)
	case controller != nil:
		why = refuse(apis.ReasonReconcilerError, "Sandbox %q is controlled by %s %q: delete it, or give the claim another name",
			sandbox.Name, controller.Kind, controller.Name)
	}
	why.blocked = true
	return why
}

// inOrder puts the Sandbox to keep first: one that stays, then the one that the status names, then the recorded one, then the
// oldest.
func inOrder(claim *extensionsv1beta1.SandboxClaim, ours []*agentsv1beta1.Sandbox) []*agentsv1beta1.Sandbox {
	rank := func(s *agentsv1beta1.Sandbox) int {
		switch {
		case s.DeletionTimestamp != nil:
			return 3
		case s.Name == claim.Status.SandboxStatus.Name:
			return 0
		case s.Name == recordOf(claim):
			return 1
		default:
			return 2
		}
	}
	return slices.SortedFunc(slices.Values(ours), func(a, b *agentsv1beta1.Sandbox) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
}

func first(sandboxes []*agentsv1beta1.Sandbox) *agentsv1beta1.Sandbox {
	if len(sandboxes) == 0 {
		return nil
	}
	return sandboxes[0]
}
