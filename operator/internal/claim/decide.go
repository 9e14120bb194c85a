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
		desired *agentsv1beta1.Sandbox   // with the keys we own made right; nil: they are right
		surplus []*agentsv1beta1.Sandbox // others of ours, that two operators at a time may leave behind
		problem error                    // with what the claim asks for beyond it
	}
	// awaitDeletion: our Sandbox is being deleted; a new one follows when it is gone.
	awaitDeletion struct{ sandbox *agentsv1beta1.Sandbox }
	// resumeAdoption: a pass before this one recorded a member and did not get to take it.
	resumeAdoption struct {
		member *agentsv1beta1.Sandbox
		source *source
	}
	// clearAssignment: what is recorded cannot become ours.
	clearAssignment struct{ name string }
	// adoptOrCreate: take a warm Sandbox if there is one, else start cold.
	adoptOrCreate struct {
		source   *source
		fallback step // create or reject
	}
	// create: start cold.
	create struct{ sandbox *agentsv1beta1.Sandbox }
	// reject: a person must change something first, or an object must go.
	reject struct{ rejection *rejection }
	// expire: the claim's time is over.
	expire struct {
		policy    extensionsv1beta1.ShutdownPolicy
		sandboxes []*agentsv1beta1.Sandbox // ours, those that are on their way out included
	}
)

func (keep) isStep()            {}
func (awaitDeletion) isStep()   {}
func (resumeAdoption) isStep()  {}
func (clearAssignment) isStep() {}
func (adoptOrCreate) isStep()   {}
func (create) isStep()          {}
func (reject) isStep()          {}
func (expire) isStep()          {}

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
	ours := byPreference(claim, seen.sandboxesOf(claim))
	if deadlineOf(claim, first(ours)).Reached(now) {
		return expire{policy: cmp.Or(claim.Spec.Lifecycle.ShutdownPolicy, extensionsv1beta1.ShutdownPolicyRetain), sandboxes: ours}
	}
	if len(ours) > 0 {
		return nextWithSandbox(claim, ours, seen.template)
	}
	if seen.assigned != nil && isBound(seen.assigned, claim) {
		return reject{rejectTakenOver(seen.assigned)}
	}
	if why := checkMetadata(claim); why != nil {
		return reject{why}
	}
	from, why := resolveSource(claim, seen)
	if why != nil {
		return reject{why}
	}
	switch {
	case seen.assigned != nil && from.mayAdopt(seen.assigned):
		return resumeAdoption{member: seen.assigned, source: from}
	case seen.assigned != nil && assignedName(claim) != "":
		return clearAssignment{assignedName(claim)}
	case seen.retained != "":
		return nextWithoutMember(claim, seen.retained, from, seen)
	}
	cold := nextWithoutMember(claim, claim.Name, from, seen)
	if assignedName(claim) == claim.Name || len(from.pools) == 0 {
		return cold // a creation under our name may be on its way: nothing else may be tried
	}
	return adoptOrCreate{source: from, fallback: cold}
}

// nextWithSandbox decides for a claim that has its Sandbox.
func nextWithSandbox(claim *extensionsv1beta1.SandboxClaim, ours []*agentsv1beta1.Sandbox, template *extensionsv1beta1.SandboxTemplate) step {
	if ours[0].DeletionTimestamp != nil {
		return awaitDeletion{ours[0]}
	}
	k := keep{sandbox: ours[0]}
	for _, other := range ours[1:] {
		if other.DeletionTimestamp == nil {
			k.surplus = append(k.surplus, other)
		}
	}
	want := ours[0].DeepCopy()
	if !controlledBy(want, claim.UID) {
		setController(want, claim)
	}
	setIdentityLabels(want, claim)
	if why := checkMetadata(claim); why != nil {
		k.problem = why
	} else if why := setMetadata(want, claim, template); why != nil {
		k.problem = why
	}
	if !equality.Semantic.DeepEqual(want, ours[0]) {
		k.desired = want
	}
	return k
}

// rejectTakenOver says that somebody gave the claim's Sandbox another controller. The claim takes no other one meanwhile: that would be empty.
func rejectTakenOver(sandbox *agentsv1beta1.Sandbox) *rejection {
	controller := metav1.GetControllerOf(sandbox)
	why := rejectf(apis.ReasonReconcilerError, "Sandbox %q of this claim is controlled by %s %q: remove that owner reference, and the claim "+
		"takes the Sandbox back, or delete the Sandbox, and another follows", sandbox.Name, controller.Kind, controller.Name)
	why.poll = true
	return why
}

// nextWithoutMember decides about a new Sandbox of the name.
func nextWithoutMember(claim *extensionsv1beta1.SandboxClaim, name string, from *source, seen observed) step {
	if seen.sameName != nil && name == claim.Name {
		return reject{rejectNameTaken(claim, seen.sameName)}
	}
	sandbox, why := newColdSandbox(claim, name, from.template)
	if why != nil {
		return reject{why}
	}
	return create{sandbox}
}

// rejectNameTaken says why a new Sandbox cannot have the claim's name, and what to do.
func rejectNameTaken(claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox) *rejection {
	controller := metav1.GetControllerOf(sandbox)
	why := rejectf(apis.ReasonReconcilerError, "Sandbox %q exists and does not belong to this claim: delete it, or give the claim "+
		"another name", sandbox.Name)
	switch {
	case sandbox.DeletionTimestamp != nil, controller != nil && isClaim(controller) && controller.Name == claim.Name:
		why = rejectf(apis.ReasonSandboxMissing, "Sandbox %q of an earlier claim of this name is being deleted; a new one follows",
			sandbox.Name)
	case controller != nil:
		why = rejectf(apis.ReasonReconcilerError, "Sandbox %q is controlled by %s %q: delete it, or give the claim another name",
			sandbox.Name, controller.Kind, controller.Name)
	}
	why.poll = true
	return why
}

// byPreference puts the Sandbox to keep first: one that stays, then the one that the status names, then the recorded one, then the
// oldest.
func byPreference(claim *extensionsv1beta1.SandboxClaim, ours []*agentsv1beta1.Sandbox) []*agentsv1beta1.Sandbox {
	rank := func(s *agentsv1beta1.Sandbox) int {
		switch {
		case s.DeletionTimestamp != nil:
			return 3
		case s.Name == claim.Status.SandboxStatus.Name:
			return 0
		case s.Name == knownName(claim):
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
