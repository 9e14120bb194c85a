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
func VerdictOf(snapshot *Snapshot) Verdict {
	holder, generation := snapshot.holderStatus()
	switch {
	case snapshot.deleting():
		return Deleting
	case snapshot.expired():
		return Expired
	}
	if finished := Current(holder, apis.ConditionFinished, generation); isTrue(finished) {
		if finished.Reason == string(apis.ReasonPodFailed) {
			return Failed
		}
		return Succeeded
	}
	if snapshot.Sandbox != nil {
		if asked, _ := snapshot.Sandbox.Spec.SuspensionRequested(); asked {
			if isTrue(Current(snapshot.Sandbox.Status.Conditions, apis.ConditionSuspended, snapshot.Sandbox.Generation)) {
				return Suspended
			}
			return Suspending
		}
	}
	if isTrue(Current(holder, apis.ConditionReady, generation)) && !snapshot.claimIsBehind() &&
		!snapshot.recentlyRestarted() {
		return Ready
	}
	return Starting
}

// VerdictByConditions returns the state for callers that read no Pods: what the operator's conditions tell.
func VerdictByConditions(snapshot Snapshot) Verdict {
	verdict := VerdictOf(&snapshot)
	if verdict != Starting {
		return verdict
	}
	snapshot.Pod, snapshot.PodHidden = nil, true
	if hasBad(conditionFindings(&snapshot)) {
		return Blocked
	}
	return Starting
}

// claimIsBehind reports whether a claim's Ready condition is about its Sandbox before the latest change, for instance
// before it was resumed.
func (snapshot *Snapshot) claimIsBehind() bool {
	if snapshot.Claim == nil || snapshot.Sandbox == nil {
		return false
	}
	own := snapshot.Sandbox.Status.Conditions
	return apis.FindCondition(own, apis.ConditionReady) != nil &&
		!isTrue(Current(own, apis.ConditionReady, snapshot.Sandbox.Generation))
}

// restartGracePeriod is how long a restarted container must run before it counts as running: without a readiness probe,
// a container that crashes at once is ready for a moment after each restart.
const restartGracePeriod = 10 * time.Second

// recentlyRestarted reports whether a container of the Pod restarted within the grace period.
func (snapshot *Snapshot) recentlyRestarted() bool {
	if snapshot.Pod == nil {
		return false
	}
	for i := range snapshot.Pod.Status.ContainerStatuses {
		if restarted(&snapshot.Pod.Status.ContainerStatuses[i], snapshot.Now) {
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
func Settled(snapshot *Snapshot) bool {
	switch VerdictOf(snapshot) {
	case Starting:
		return false
	case Ready:
		conditions, generation := snapshot.holderStatus()
		ready := Current(conditions, apis.ConditionReady, generation)
		return snapshot.Now.Sub(ready.LastTransitionTime.Time) >= restartGracePeriod
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
func (snapshot *Snapshot) holderStatus() ([]metav1.Condition, int64) {
	switch {
	case snapshot.Claim != nil:
		return snapshot.Claim.Status.Conditions, snapshot.Claim.Generation
	case snapshot.Sandbox != nil:
		return snapshot.Sandbox.Status.Conditions, snapshot.Sandbox.Generation
	}
	return nil, 0
}

func (snapshot *Snapshot) deleting() bool {
	if snapshot.Claim != nil {
		return snapshot.Claim.DeletionTimestamp != nil
	}
	return snapshot.Sandbox != nil && (snapshot.ClaimGone || snapshot.Sandbox.DeletionTimestamp != nil)
}

func (snapshot *Snapshot) expired() bool {
	if snapshot.Deadline().Reached(snapshot.Now) {
		return true
	}
	conditions, generation := snapshot.holderStatus()
	ready := Current(conditions, apis.ConditionReady, generation)
	return ready != nil &&
		(ready.Reason == string(apis.ReasonSandboxExpired) || ready.Reason == string(apis.ReasonClaimExpired))
}

// Deadline returns when the claim or Sandbox ends.
func (snapshot *Snapshot) Deadline() lifecycle.Deadline {
	switch {
	case snapshot.Claim != nil && snapshot.Claim.Spec.Lifecycle != nil:
		l := snapshot.Claim.Spec.Lifecycle
		return lifecycle.Of(l.ShutdownTime, l.TTLSecondsAfterFinished, snapshot.Claim.Status.Conditions)
	case snapshot.Claim != nil:
		return lifecycle.Deadline{}
	case snapshot.Sandbox != nil:
		return lifecycle.Of(snapshot.Sandbox.Spec.ShutdownTime, nil, nil)
	}
	return lifecycle.Deadline{}
}
