// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/operator/retry"
)

const (
	// refusedRetry is how often we look whether somebody removed an object that stands in our way: objects that are not
	// ours are not watched.
	refusedRetry = 15 * time.Second
	// conflictRetry gives the cache time to show the write that beat ours. Mostly that is our own last status, which does not wake us.
	conflictRetry = 50 * time.Millisecond
	// goneRetry is how often we look whether what stands in our way has gone: if it lacks our label, its end is no event.
	goneRetry = 5 * time.Second
)

// refusal is an object under a name we need that we may not take. Its text names the object and the cure.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// errWentMeanwhile: what had the name we need went between two calls.
var errWentMeanwhile = apierrors.NewConflict(schema.GroupResource{}, "", errors.New("it went meanwhile"))

// class is the consequence that an error has.
type class int

const (
	classNone     class = iota
	classRefused        // somebody's object is in the way: look again now and then
	classConflict       // we acted on an old object: the newer one is on its way
	classRejected       // the API server calls it invalid: wait for a change of the Sandbox, or of a policy
	classGone           // the namespace is going: nothing to do
	classOther          // anything else: back off
)

func classOf(err error) class {
	var refused *refusal
	switch {
	case err == nil:
		return classNone
	case errors.As(err, &refused):
		return classRefused
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
		case classNone, classGone:
		case classRejected:
			result.RequeueAfter = sooner(result.RequeueAfter, retry.Rejected)
		case classRefused:
			result.RequeueAfter = sooner(result.RequeueAfter, refusedRetry)
		case classConflict:
			result.RequeueAfter = sooner(result.RequeueAfter, conflictRetry)
		case classOther:
			backOff = append(backOff, err)
		}
	}
	return result, errors.Join(backOff...)
}
