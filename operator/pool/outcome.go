// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/operator/retry"
)

// conflictRetry is a fallback: the newer object that made the conflict wakes us, if it matters to the pool.
const conflictRetry = 500 * time.Millisecond

// class is the consequence that an error has.
type class int

const (
	classConflict class = iota // we acted on an old object, or a name was taken: look again
	classRejected              // the API server will never take it: wait for a change of the template or the pool
	classGone                  // the namespace is going: nothing to do
	classOther                 // anything else: back off
)

func classOf(err error) class {
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return classGone
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err):
		return classConflict
	case apierrors.IsInvalid(err):
		return classRejected
	default:
		return classOther
	}
}

// answered says whether an error is the API server's word that nothing was written. Where it is not, it may have been.
func answered(err error) bool {
	switch apierrors.ReasonForError(err) {
	case metav1.StatusReasonUnknown, metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout,
		metav1.StatusReasonInternalError, metav1.StatusReasonServiceUnavailable:
		return false
	default:
		return true
	}
}

// outcome turns the errors of a pass into what the queue does next.
func outcome(again time.Duration, errs ...error) (reconcile.Result, error) {
	var backOff []error
	for _, err := range errs {
		if err == nil {
			continue
		}
		switch classOf(err) {
		case classGone:
		case classRejected:
			again = sooner(again, retry.Rejected)
		case classConflict:
			again = sooner(again, conflictRetry)
		case classOther:
			backOff = append(backOff, err)
		}
	}
	if len(backOff) > 0 {
		return reconcile.Result{}, errors.Join(backOff...)
	}
	return reconcile.Result{RequeueAfter: again}, nil
}
