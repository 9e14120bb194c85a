// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/operator/retry"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

const (
	// blockedRetry is how often we look whether somebody removed a Sandbox that stands in our way.
	blockedRetry = 15 * time.Second
	// conflictRetry gives the cache time to show the write that beat ours; our own writes do not wake us.
	conflictRetry = 50 * time.Millisecond
)

// refusal is what a person must change before the claim can go on. The watches wake the claim when they do.
type refusal struct {
	reason  apis.Reason
	text    string
	blocked bool // by an object that wakes nobody when it goes: look again now and then
}

func (r *refusal) Error() string { return r.text }

// refuse returns a refusal; the text says what to change.
func refuse(reason apis.Reason, format string, args ...any) *refusal {
	return &refusal{reason: reason, text: fmt.Sprintf(format, args...)}
}

// lost says that the member a claim had recorded went to somebody else, or went.
type lost struct {
	text string
	left bool // the pool has it no more: nobody need try for it
}

func (l *lost) Error() string { return l.text }

// class is the consequence that an error has.
type class int

const (
	classNone     class = iota
	classRefused        // a person must change something: wait for it
	classBlocked        // somebody's object is in the way: look again now and then
	classLost           // the warm Sandbox is somebody else's: another in a later pass
	classConflict       // we acted on an old object: look again when the cache has the new one
	classRejected       // the API server will never take it: wait for a change
	classGone           // the namespace is going: nothing to do
	classOther          // anything else: back off
)

// refusalOf is the refusal among what went wrong, or nil.
func refusalOf(err error) *refusal {
	var refused *refusal
	_ = errors.As(err, &refused)
	return refused
}

func classOf(err error) class {
	refused := refusalOf(err)
	var gone *lost
	switch {
	case err == nil:
		return classNone
	case refused != nil && refused.blocked:
		return classBlocked
	case refused != nil:
		return classRefused
	case errors.As(err, &gone):
		return classLost
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return classGone
	case apierrors.IsConflict(err):
		return classConflict
	case apierrors.IsInvalid(err):
		return classRejected
	default:
		return classOther
	}
}

// outcome turns the errors of a pass into what the queue does next.
func outcome(errs ...error) (reconcile.Result, error) {
	var result reconcile.Result
	var backOff []error
	for _, err := range errs {
		switch classOf(err) {
		case classNone, classRefused, classGone:
		case classRejected:
			result.RequeueAfter = sooner(result.RequeueAfter, retry.Rejected)
		case classBlocked:
			result.RequeueAfter = sooner(result.RequeueAfter, blockedRetry)
		case classLost, classConflict:
			result.RequeueAfter = sooner(result.RequeueAfter, conflictRetry)
		case classOther:
			backOff = append(backOff, err)
		}
	}
	return result, errors.Join(backOff...)
}
