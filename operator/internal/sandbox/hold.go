// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
)

// holdFor returns how long a pass has to hold because claims go first. Zero: it executes the plan now.
func (r *Reconciler) holdFor(sandbox *agentsv1beta1.Sandbox, p plan, now time.Time) time.Duration {
	if p.state != desiredRunning || !isClaimed(sandbox) && !isPoolMember(sandbox) {
		return 0
	}
	f := collectStatusInput(sandbox, p, p.expected())
	status := statusOf(sandbox, f, r.clusterDomain, metav1.NewTime(now).Rfc3339Copy())
	isDue := !equalExceptNodeName(sandbox.Status, status) && startingDelay(sandbox, status, f, p, now) == 0
	switch work := workOf(sandbox, p, status, isDue); {
	case work == nothingToHold:
		return 0
	case work == claimsfirst.MemberStatus && !r.hasMember(sandbox.Namespace, sandbox.Labels[apis.LabelWarmPoolSandbox]):
		return 0 // the next claims wait for this one
	default:
		return r.gate.Hold(work, string(sandbox.UID))
	}
}

// nothingToHold is the work of a pass that does nothing, or that somebody may wait for.
const nothingToHold claimsfirst.Work = ""

// workOf returns the kind of work of a running Sandbox's plan. Somebody may wait for a deletion, and for whatever the
// status of a claim shows. A member that stops being Ready is reported at once, because claims would take it. status is
// what the plan leads to; isDue says whether it is written.
func workOf(
	sandbox *agentsv1beta1.Sandbox, p plan, status agentsv1beta1.SandboxStatus, isDue bool,
) claimsfirst.Work {
	isReady := func(s agentsv1beta1.SandboxStatus) bool { return apis.ConditionTrue(s.Conditions, apis.ConditionReady) }
	switch {
	case p.removes():
		return nothingToHold
	case isClaimed(sandbox):
		if !isDue && p.onlyPodMetadata(sandbox) {
			return claimsfirst.PodMetadata
		}
		return nothingToHold
	case isReady(sandbox.Status) && !isReady(status):
		return nothingToHold
	case p.writes(), p.changesPodName(sandbox):
		return nothingToHold // the refill held before; a Pod that comes late costs a status that says so
	case isDue:
		return claimsfirst.MemberStatus
	}
	return nothingToHold
}

// removes reports whether the plan deletes a child.
func (p plan) removes() bool { return p.any(func(a action) bool { return a == remove }) }

// writes reports whether the plan writes a child.
func (p plan) writes() bool {
	return p.any(func(a action) bool { return a == create || a == patch || a == remove })
}

// any reports whether the action of a child is a wanted one.
func (p plan) any(wanted func(action) bool) bool {
	all := []action{p.service.action}
	for _, s := range p.pods {
		all = append(all, s.action)
	}
	for _, s := range p.volumes {
		all = append(all, s.action)
	}
	return slices.ContainsFunc(all, wanted)
}

// onlyPodMetadata reports whether the plan writes nothing but labels and annotations of a Pod that runs.
func (p plan) onlyPodMetadata(sandbox *agentsv1beta1.Sandbox) bool {
	if len(p.pods) != 1 || p.pods[0].action != patch || p.changesPodName(sandbox) {
		return false
	}
	was, want := p.pods[0].was, p.pods[0].want
	p.pods = nil
	return !p.writes() && was.Status.Phase == corev1.PodRunning &&
		equality.Semantic.DeepEqual(was.OwnerReferences, want.OwnerReferences)
}

// expected returns the results of the plan if every write succeeds.
func (p plan) expected() results {
	done := results{service: expectedResult(p.service)}
	for _, s := range p.pods {
		done.pods = append(done.pods, expectedResult(s))
	}
	for _, s := range p.volumes {
		done.volumes = append(done.volumes, expectedResult(s))
	}
	return done
}

func expectedResult[T client.Object](s step[T]) result[T] {
	if s.action == create || s.action == patch {
		return result[T]{action: s.action, child: s.want}
	}
	return result[T]{action: s.action, child: s.was, err: s.refusal}
}
