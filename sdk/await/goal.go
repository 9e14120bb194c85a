// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package await waits until a claim or Sandbox is ready, suspended, finished or deleted.
//
// Invariants:
//   - a condition counts only if it is about the current generation;
//   - if the object is deleted, or deleted and recreated, waiting for any other goal fails at once;
//   - waiting fails at once for a goal that can no longer be reached; otherwise it continues and reports the obstacle,
//     also for an obstacle that stays until somebody changes something, unless the caller sets GiveUp;
//   - a watch that breaks is opened again, and no event is required: every decision is based on a fresh read.
package await

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Goal is the state to wait for.
type Goal string

// The goals.
const (
	Ready     Goal = "ready"
	Suspended Goal = "suspended"
	Finished  Goal = "finished"
	Deleted   Goal = "deleted"
)

// Goals returns all goals.
func Goals() []Goal { return []Goal{Ready, Suspended, Finished, Deleted} }

// ParseGoal parses a goal, ignoring case.
func ParseGoal(text string) (Goal, error) {
	goal := Goal(strings.ToLower(text))
	if !slices.Contains(Goals(), goal) {
		return "", fmt.Errorf("cannot wait for %q: use ready, suspended, finished or deleted", text)
	}
	return goal, nil
}

// UnreachableError is the error for a goal that can no longer be reached.
type UnreachableError struct {
	Name string
	Goal Goal
	Why  string
	next string
}

// Error implements error.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s will not be %s: %s", e.Name, e.Goal, e.Why)
}

// NextStep returns the arguments of the plugin command that helps.
func (e *UnreachableError) NextStep() string { return e.next }

// TimeoutError is the error for a goal that was not reached in time.
type TimeoutError struct {
	Name     string
	Goal     Goal
	After    time.Duration
	Obstacle string
}

// Error implements error.
func (e *TimeoutError) Error() string {
	message := fmt.Sprintf("timed out after %s waiting for %s to be %s", e.After, e.Name, e.Goal)
	if e.Obstacle != "" {
		message += "; " + e.Obstacle
	}
	return message
}

// NextStep returns the arguments of the plugin command that shows more.
func (e *TimeoutError) NextStep() string { return "status " + e.Name }

// WaitTimedOut identifies the error for callers that do not import this package.
func (e *TimeoutError) WaitTimedOut() bool { return true }

// decide reports whether the goal is reached, or returns an error if it never will be. A nil target is an object that
// is gone; uid is the object that the caller waits for.
func decide(goal Goal, ref string, uid types.UID, t *resolve.Target, now time.Time) (done bool, err error) {
	gone := t == nil || (uid != "" && t.UID() != uid)
	if goal == Deleted {
		return gone, nil
	}
	never := func(why, next string) error { return &UnreachableError{Name: ref, Goal: goal, Why: why, next: next} }
	switch {
	case t == nil:
		return false, never("it was deleted", "")
	case gone:
		return false, never("it was deleted, and another of that name was made", "")
	}
	snapshot := observe.FromTarget(t, now)
	verdict := diagnose.VerdictOf(&snapshot)
	switch verdict {
	case diagnose.Deleting:
		return false, never("it is being deleted", "")
	case diagnose.Expired:
		if goal == Finished && hasFinished(t) {
			return true, nil
		}
		return false, never("it has expired", "extend "+ref+" --by 1h")
	default:
	}
	switch goal {
	case Ready:
		return ready(verdict, ref, t, never)
	case Suspended:
		return verdict == diagnose.Suspended, nil
	default:
		return verdict == diagnose.Succeeded || verdict == diagnose.Failed, nil
	}
}

func ready(verdict diagnose.Verdict, ref string, t *resolve.Target, never func(why, next string) error) (bool, error) {
	switch verdict {
	case diagnose.Ready:
		return true, nil
	case diagnose.Succeeded, diagnose.Failed:
		return false, never("it has finished", "logs "+ref)
	case diagnose.Suspended, diagnose.Suspending:
		return false, never("it is suspended", "resume "+ref)
	default:
	}
	if t.Claim == nil {
		return false, nil
	}
	c := diagnose.Current(t.Claim.Status.Conditions, apis.ConditionReady, t.Claim.Generation)
	if c == nil {
		return false, nil
	}
	switch apis.Reason(c.Reason) {
	case apis.ReasonInvalidMetadata, apis.ReasonEnvVarsInjectionRejected, apis.ReasonVolumeClaimTemplatesError:
		return false, never(c.Message+" ("+c.Reason+")", "describe "+ref)
	default:
		return false, nil
	}
}

func hasFinished(t *resolve.Target) bool {
	conditions := t.Sandbox
	if t.Claim != nil {
		return apis.ConditionTrue(t.Claim.Status.Conditions, apis.ConditionFinished)
	}
	return conditions != nil && apis.ConditionTrue(conditions.Status.Conditions, apis.ConditionFinished)
}
