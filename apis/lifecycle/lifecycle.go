// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle computes when a Sandbox or a SandboxClaim expires. It is the only place that does so, for the
// operator, the plugin and the dashboard.
//
// Invariants:
//   - the earlier of the shutdown time and the time to live after the end of the work applies;
//   - a deadline is reached at its instant, not after it;
//   - the package reads no clock: time is an argument.
package lifecycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// Cause is the rule by which an object expires.
type Cause string

// The causes.
const (
	// CauseNone means that the object does not expire.
	CauseNone Cause = ""
	// CauseShutdownTime is the absolute shutdownTime in the spec.
	CauseShutdownTime Cause = "shutdownTime"
	// CauseFinished is ttlSecondsAfterFinished, counted from when the condition Finished became True.
	CauseFinished Cause = "ttlSecondsAfterFinished"
)

// Deadline is the instant at which an object expires. The zero value is no deadline.
type Deadline struct {
	at    time.Time
	cause Cause
}

// Of returns the earlier of the shutdown time and the end of the time to live, which starts when the condition Finished
// becomes True. Any argument may be nil. A condition Finished without a transition time is ignored.
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

// IsSet reports whether there is a deadline.
func (d Deadline) IsSet() bool { return d.cause != CauseNone }

// Reached reports whether the object has expired at now.
func (d Deadline) Reached(now time.Time) bool { return d.IsSet() && !now.Before(d.at) }

// Remaining returns the time until the deadline, or 0 if it is reached or there is none. It can be used as
// RequeueAfter.
func (d Deadline) Remaining(now time.Time) time.Duration {
	if !d.IsSet() || d.Reached(now) {
		return 0
	}
	return d.at.Sub(now)
}

// At returns the instant. It is valid only if IsSet.
func (d Deadline) At() time.Time { return d.at }

// Cause returns the rule that determines the deadline.
func (d Deadline) Cause() Cause { return d.cause }
