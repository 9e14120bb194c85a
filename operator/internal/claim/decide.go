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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// step is what a reconcile does about a claim. The set is closed.
type step interface{ isStep() }

type (
	// keep keeps the Sandbox that the claim has.
	keep struct {
		sandbox *agentsv1beta1.Sandbox
		desired *agentsv1beta1.Sandbox   // the Sandbox with the operator's keys repaired; nil if nothing differs
		surplus []*agentsv1beta1.Sandbox // further Sandboxes of the claim, adopted by two operators running at once
		problem error                    // why the claim's metadata cannot be applied
	}
	// awaitDeletion waits until the claim's Sandbox is deleted. A new one follows.
	awaitDeletion struct{ sandbox *agentsv1beta1.Sandbox }
	// resumeAdoption adopts the member that an earlier reconcile tried to adopt without an answer, or that a release which
	// recorded the name first recorded.
	resumeAdoption struct {
		member *agentsv1beta1.Sandbox
		source *source
	}
	// clearAssignment forgets the recorded name, because this version of the Sandbox cannot become the claim's.
	clearAssignment struct{ sandbox *agentsv1beta1.Sandbox }
	// adoptOrCreate adopts a warm Sandbox, or executes the fallback if there is none.
	adoptOrCreate struct {
		source   *source
		fallback step // create or reject
	}
	// create creates a new Sandbox.
	create struct{ sandbox *agentsv1beta1.Sandbox }
	// reject reports what a person must change, or which object must be deleted, before the claim can get a Sandbox.
	reject struct{ rejection *rejection }
	// expire ends a claim whose deadline is reached.
	expire struct {
		policy    extensionsv1beta1.ShutdownPolicy
		sandboxes []*agentsv1beta1.Sandbox // the claim's, including those that are being deleted
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

// deadlineOf returns when the claim expires. It uses the conditions of the Sandbox, which are newer than their copies
// in the claim's status. Without a Sandbox it uses the copies.
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

// nextStep decides what to do about a claim. It is a pure function.
func nextStep(now time.Time, claim *extensionsv1beta1.SandboxClaim, seen observed) step {
	sandboxes := byPreference(claim, seen.sandboxesOf(claim))
	if deadlineOf(claim, first(sandboxes)).Reached(now) {
		policy := cmp.Or(claim.Spec.Lifecycle.ShutdownPolicy, extensionsv1beta1.ShutdownPolicyRetain)
		return expire{policy: policy, sandboxes: sandboxes}
	}
	if len(sandboxes) > 0 {
		return nextWithSandbox(claim, sandboxes, seen.template)
	}
	if seen.recorded != nil && isBound(seen.recorded, claim) {
		return reject{rejectTakenOver(seen.recorded)}
	}
	if rejected := checkMetadata(claim); rejected != nil {
		return reject{rejected}
	}
	from, rejected := resolveSource(claim, seen)
	if rejected != nil {
		return reject{rejected}
	}
	switch {
	case seen.recorded != nil && from.mayAdopt(seen.recorded):
		return resumeAdoption{member: seen.recorded, source: from}
	case seen.recorded != nil && (seen.adopting || claim.AssignedSandbox() != ""):
		return clearAssignment{seen.recorded}
	case seen.retainedName != "":
		return nextWithoutMember(claim, seen.retainedName, from, seen)
	}
	fallback := nextWithoutMember(claim, claim.Name, from, seen)
	if claim.AssignedSandbox() == claim.Name || len(from.pools) == 0 {
		return fallback // a creation under the claim's name may be in flight, so no member may be adopted
	}
	return adoptOrCreate{source: from, fallback: fallback}
}

// nextWithSandbox decides for a claim that has Sandboxes, the preferred one first.
func nextWithSandbox(
	claim *extensionsv1beta1.SandboxClaim, sandboxes []*agentsv1beta1.Sandbox, template *extensionsv1beta1.SandboxTemplate,
) step {
	current := sandboxes[0]
	if current.DeletionTimestamp != nil {
		return awaitDeletion{current}
	}
	k := keep{sandbox: current}
	for _, other := range sandboxes[1:] {
		if other.DeletionTimestamp == nil {
			k.surplus = append(k.surplus, other)
		}
	}
	desired := current.DeepCopy()
	owner.SetController(desired, claim)
	setIdentityLabels(desired, claim)
	if rejected := checkMetadata(claim); rejected != nil {
		k.problem = rejected
	} else if rejected := setMetadata(desired, claim, template); rejected != nil {
		k.problem = rejected
	}
	if !equality.Semantic.DeepEqual(desired, current) {
		k.desired = desired
	}
	return k
}

// rejectTakenOver rejects a claim whose Sandbox has another controller now. The claim gets no other Sandbox: that one
// would be empty.
func rejectTakenOver(sandbox *agentsv1beta1.Sandbox) *rejection {
	controller := metav1.GetControllerOf(sandbox)
	rejected := rejectf(
		apis.ReasonReconcilerError,
		"Sandbox %q of this claim is controlled by %s %q: remove that owner reference to "+
			"give the Sandbox back to the claim, or delete the Sandbox to get a new one",
		sandbox.Name, controller.Kind, controller.Name,
	)
	rejected.causeUnwatched = true
	return rejected
}

// nextWithoutMember creates a Sandbox of the name, or rejects the claim.
func nextWithoutMember(claim *extensionsv1beta1.SandboxClaim, name string, from *source, seen observed) step {
	if seen.sameName != nil && name == claim.Name {
		return reject{rejectNameTaken(claim, seen.sameName)}
	}
	sandbox, rejected := newColdSandbox(claim, name, from.template)
	if rejected != nil {
		return reject{rejected}
	}
	return create{sandbox}
}

// rejectNameTaken rejects a claim whose name another Sandbox has.
func rejectNameTaken(claim *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox) *rejection {
	earlierClaim := owner.ControllerOf(sandbox, apis.KindSandboxClaim)
	rejected := rejectf(
		apis.ReasonReconcilerError,
		"Sandbox %q exists and does not belong to this claim: delete it, or give the claim another name",
		sandbox.Name,
	)
	if sandbox.DeletionTimestamp != nil || (earlierClaim != nil && earlierClaim.Name == claim.Name) {
		rejected = rejectf(
			apis.ReasonSandboxMissing,
			"Sandbox %q of an earlier claim of this name is being deleted; a new one follows",
			sandbox.Name,
		)
	} else if controller := metav1.GetControllerOf(sandbox); controller != nil {
		rejected = rejectf(apis.ReasonReconcilerError, "Sandbox %q is controlled by %s %q: delete it, or give the claim "+
			"another name", sandbox.Name, controller.Kind, controller.Name)
	}
	rejected.causeUnwatched = true
	return rejected
}

// byPreference sorts the claim's Sandboxes, the one to keep first: not being deleted, then named by the status, then
// recorded, then the oldest.
func byPreference(claim *extensionsv1beta1.SandboxClaim, sandboxes []*agentsv1beta1.Sandbox) []*agentsv1beta1.Sandbox {
	rank := func(s *agentsv1beta1.Sandbox) int {
		switch {
		case s.DeletionTimestamp != nil:
			return 3
		case s.Name == claim.Status.SandboxStatus.Name:
			return 0
		case s.Name == claim.LastSandbox():
			return 1
		default:
			return 2
		}
	}
	return slices.SortedFunc(slices.Values(sandboxes), func(a, b *agentsv1beta1.Sandbox) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name),
		)
	})
}

func first(sandboxes []*agentsv1beta1.Sandbox) *agentsv1beta1.Sandbox {
	if len(sandboxes) == 0 {
		return nil
	}
	return sandboxes[0]
}
