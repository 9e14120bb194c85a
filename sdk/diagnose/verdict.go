// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
)

// VerdictOf returns the state of the claim or Sandbox in one word. Conditions of an earlier generation are ignored.
func VerdictOf(f *Snapshot) Verdict {
	holder, generation := f.holderStatus()
	switch {
	case f.deleting():
		return Deleting
	case f.expired():
		return Expired
	}
	if finished := Current(holder, apis.ConditionFinished, generation); isTrue(finished) {
		if finished.Reason == string(apis.ReasonPodFailed) {
			return Failed
		}
		return Succeeded
	}
	if f.Sandbox != nil {
		if asked, _ := f.Sandbox.Spec.SuspensionRequested(); asked {
			if isTrue(Current(f.Sandbox.Status.Conditions, apis.ConditionSuspended, f.Sandbox.Generation)) {
				return Suspended
			}
			return Suspending
		}
	}
	if isTrue(Current(holder, apis.ConditionReady, generation)) && !f.claimIsBehind() && !f.recentlyRestarted() {
		return Ready
	}
	return Starting
}

// claimIsBehind reports whether a claim's Ready condition is about its Sandbox before the latest change, for instance
// before it was resumed.
func (f *Snapshot) claimIsBehind() bool {
	if f.Claim == nil || f.Sandbox == nil {
		return false
	}
	own := f.Sandbox.Status.Conditions
	return apis.FindCondition(own, apis.ConditionReady) != nil &&
		!isTrue(Current(own, apis.ConditionReady, f.Sandbox.Generation))
}

// restartGracePeriod is how long a restarted container must run before it counts as running: without a readiness probe,
// a container that crashes at once is ready for a moment after each restart.
const restartGracePeriod = 10 * time.Second

// recentlyRestarted reports whether a container of the Pod restarted within the grace period.
func (f *Snapshot) recentlyRestarted() bool {
	if f.Pod == nil {
		return false
	}
	for i := range f.Pod.Status.ContainerStatuses {
		if restarted(&f.Pod.Status.ContainerStatuses[i], f.Now) {
			return true
		}
	}
	return false
}

// restarted reports whether a running container restarted within the grace period. If the node's clock differs by more
// than that, it reports false.
func restarted(status *corev1.ContainerStatus, now time.Time) bool {
	if status.RestartCount == 0 || status.State.Running == nil || status.LastTerminationState.Terminated == nil {
		return false
	}
	runs := now.Sub(status.State.Running.StartedAt.Time)
	return -restartGracePeriod < runs && runs < restartGracePeriod
}

// Settled reports whether the conditions alone determine the state of a claim or Sandbox: it has been Ready for a
// while, or its state does not depend on a Pod.
func Settled(f *Snapshot) bool {
	switch VerdictOf(f) {
	case Starting:
		return false
	case Ready:
		conditions, generation := f.holderStatus()
		ready := Current(conditions, apis.ConditionReady, generation)
		return f.Now.Sub(ready.LastTransitionTime.Time) >= restartGracePeriod
	default:
		return true
	}
}

// Current returns the condition if it is about this generation, and nil otherwise. A condition without a generation
// counts as current.
func Current(conditions []metav1.Condition, kind apis.ConditionType, generation int64) *metav1.Condition {
	c := apis.FindCondition(conditions, kind)
	if c == nil || (c.ObservedGeneration != 0 && c.ObservedGeneration < generation) {
		return nil
	}
	return c
}

func isTrue(c *metav1.Condition) bool { return c != nil && c.Status == metav1.ConditionTrue }

// holderStatus returns the conditions and the generation of the claim, or else of the Sandbox.
func (f *Snapshot) holderStatus() ([]metav1.Condition, int64) {
	switch {
	case f.Claim != nil:
		return f.Claim.Status.Conditions, f.Claim.Generation
	case f.Sandbox != nil:
		return f.Sandbox.Status.Conditions, f.Sandbox.Generation
	}
	return nil, 0
}

func (f *Snapshot) deleting() bool {
	if f.Claim != nil {
		return f.Claim.DeletionTimestamp != nil
	}
	return f.Sandbox != nil && (f.ClaimGone || f.Sandbox.DeletionTimestamp != nil)
}

func (f *Snapshot) expired() bool {
	if f.Deadline().Reached(f.Now) {
		return true
	}
	conditions, generation := f.holderStatus()
	ready := Current(conditions, apis.ConditionReady, generation)
	return ready != nil &&
		(ready.Reason == string(apis.ReasonSandboxExpired) || ready.Reason == string(apis.ReasonClaimExpired))
}

// Deadline returns when the claim or Sandbox ends.
func (f *Snapshot) Deadline() lifecycle.Deadline {
	switch {
	case f.Claim != nil && f.Claim.Spec.Lifecycle != nil:
		l := f.Claim.Spec.Lifecycle
		return lifecycle.Of(l.ShutdownTime, l.TTLSecondsAfterFinished, f.Claim.Status.Conditions)
	case f.Claim != nil:
		return lifecycle.Deadline{}
	case f.Sandbox != nil:
		return lifecycle.Of(f.Sandbox.Spec.ShutdownTime, nil, nil)
	}
	return lifecycle.Deadline{}
}
