// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package errorclass classifies the errors of a reconcile, and turns them into the result that the work queue gets.
package errorclass

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// ErrChangedMeanwhile is a conflict: between two calls the object was changed, deleted, or replaced by another one of
// its name.
var ErrChangedMeanwhile = apierrors.NewConflict(schema.GroupResource{}, "",
	errors.New("the object was changed or deleted meanwhile"))

// Class is the consequence of an error. The set is closed.
type Class int

// The classes of errors.
const (
	None        Class = iota // no error
	Refused                  // a person must change an object; the change triggers a reconcile
	Blocked                  // another owner's object must disappear, which triggers no reconcile: check periodically
	Contended                // another writer won a race, and the user is told: reconcile soon
	Conflict                 // the write was based on an old version: the newer one is about to reach the cache
	Invalid                  // the API server or an admission policy rejects the object: wait for a change
	Terminating              // the namespace is being deleted: nothing to do
	Other                    // any other error: back off
)

// Of returns the class of an error. Errors of the operator declare it with a method Class; for errors of the API server
// it follows from the status code.
func Of(err error) Class {
	var classified interface{ Class() Class }
	switch {
	case err == nil:
		return None
	case errors.As(err, &classified):
		return classified.Class()
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return Terminating
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return Conflict
	case apierrors.IsInvalid(err):
		return Invalid
	default:
		return Other
	}
}

// Result turns the errors of a reconcile into its result. after is the requeue delay if nothing fails; zero means none.
// The queue ignores delays next to an error, so errors that back off are returned alone.
func Result(after time.Duration, errs ...error) (reconcile.Result, error) {
	var backOff []error
	for _, err := range flatten(errs) {
		switch Of(err) {
		case None, Refused, Terminating:
		case Invalid:
			after = waits.Sooner(after, waits.Rejected)
		case Blocked:
			after = waits.Sooner(after, waits.Blocked)
		case Contended, Conflict:
			after = waits.Sooner(after, waits.Conflict)
		case Other:
			backOff = append(backOff, err)
		}
	}
	if len(backOff) > 0 {
		return reconcile.Result{}, errors.Join(backOff...)
	}
	return reconcile.Result{RequeueAfter: max(0, after)}, nil
}

// LogInvalidStatus logs err if the API server or an admission policy rejects a status, and returns err. Other
// rejections are reported in the status; without this log line a rejected status would stay unnoticed, because Invalid
// is not retried as an error.
func LogInvalidStatus(ctx context.Context, err error) error {
	if Of(err) == Invalid {
		log.FromContext(ctx).Error(err, "The status cannot be written: trying again later", "after", waits.Rejected.String())
	}
	return err
}

// flatten splits joined errors, because each has its own consequence.
func flatten(errs []error) (all []error) {
	for _, err := range errs {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			all = append(all, flatten(joined.Unwrap())...)
		} else {
			all = append(all, err)
		}
	}
	return all
}
