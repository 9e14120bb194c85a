// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle decides when a Sandbox or a SandboxClaim is over. Operator, plugin and dashboard ask the same
// Deadline; nobody computes an expiry of their own.
//
// Invariants:
//   - the earliest of the absolute and the finish-relative deadline wins;
//   - a deadline is reached at its instant, not after it;
//   - the package reads no clock: time is an argument.
package lifecycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Cause says which rule ends an object.
type Cause string

// The causes.
const (
	// CauseNone: nothing ends it.
	CauseNone Cause = ""
	// CauseShutdownTime: spec's absolute shutdownTime.
	CauseShutdownTime Cause = "shutdownTime"
	// CauseFinished: ttlSecondsAfterFinished after the Finished condition turned True.
	CauseFinished Cause = "ttlSecondsAfterFinished"
)

// Deadline is the instant at which an object is over. Its zero value never comes.
type Deadline struct {
	at    time.Time
	cause Cause
}

// Of combines an absolute shutdown time with a time to live in seconds after the Finished condition among conditions. Any
// of them may be nil or empty; a Finished condition counts only when it is True and carries a time.
func Of(shutdown *metav1.Time, ttlSecondsAfterFinished *int32, conditions []metav1.Condition) Deadline {
	var d Deadline
	if shutdown != nil && !shutdown.IsZero() {
		d = Deadline{at: shutdown.Time, cause: CauseShutdownTime}
	}
	finished := apis.FindCondition(conditions, apis.ConditionFinished)
	if ttlSecondsAfterFinished == nil || finished == nil || finished.Status != metav1.ConditionTrue ||
		finished.LastTransitionTime.IsZero() {
		return d
	}
	ttl := finished.LastTransitionTime.Add(time.Duration(*ttlSecondsAfterFinished) * time.Second)
	if d.cause == CauseNone || ttl.Before(d.at) {
		d = Deadline{at: ttl, cause: CauseFinished}
	}
	return d
}

// IsSet says whether there is a deadline at all.
func (d Deadline) IsSet() bool { return d.cause != CauseNone }

// Reached says whether the object is over at now.
func (d Deadline) Reached(now time.Time) bool { return d.IsSet() && !now.Before(d.at) }

// Remaining is the time until the deadline: zero when it is reached or there is none, so it serves as a requeue delay.
func (d Deadline) Remaining(now time.Time) time.Duration {
	if !d.IsSet() || d.Reached(now) {
		return 0
	}
	return d.at.Sub(now)
}

// At is the instant; it means nothing unless Set.
func (d Deadline) At() time.Time { return d.at }

// Cause is the rule that gave the deadline.
func (d Deadline) Cause() Cause { return d.cause }
