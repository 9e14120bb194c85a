// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package retry says what the errors of a pass mean for the work queue: one table for all reconcilers.
package retry

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	// Rejected is when what the API server called invalid is tried again. A change of the object wakes us sooner; but admission
	// policies answer with the same code, and what they deny today they may allow tomorrow.
	Rejected = time.Minute
	// Blocked is when we look whether somebody removed an object that stands in our way: objects that are not ours are not
	// watched.
	Blocked = 15 * time.Second
	// shortest and longest bound how long an object waits after failures. Deadlines are missed by no more than the longest.
	shortest, longest = 50 * time.Millisecond, 30 * time.Second
)

// ErrWentMeanwhile is a conflict: what had the name we need went between two calls.
var ErrWentMeanwhile = apierrors.NewConflict(schema.GroupResource{}, "", errors.New("it went meanwhile"))

// Class is the consequence that an error has. The set is closed.
type Class int

// The classes of errors.
const (
	None        Class = iota // nothing went wrong
	Refused                  // a person must change something: the change wakes us
	InTheWay                 // somebody's object is in the way: look again now and then
	Outrun                   // somebody was faster and the user hears of it: look again soon
	Conflict                 // we acted on an old object: the newer one is on its way
	Invalid                  // the API server, or a policy, will not take it: wait for a change
	Terminating              // the namespace is going: nothing to do
	Other                    // anything else: back off
)

// ClassOf finds the class of an error. An error of ours says it with a method Class; that of the API server follows from its
// code.
func ClassOf(err error) Class {
	var ours interface{ Class() Class }
	switch {
	case err == nil:
		return None
	case errors.As(err, &ours):
		return ours.Class()
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

// Outcome turns the errors of a pass into what the queue does next. after is when to look again though nothing went wrong (zero:
// never), conflict when to look again though the newer object does not wake us. An error that backs off stands alone: the queue
// takes no time beside it.
func Outcome(after, conflict time.Duration, errs ...error) (reconcile.Result, error) {
	var backOff []error
	for _, err := range flat(errs) {
		switch ClassOf(err) {
		case None, Refused, Terminating:
		case Invalid:
			after = Sooner(after, Rejected)
		case InTheWay:
			after = Sooner(after, Blocked)
		case Outrun, Conflict:
			after = Sooner(after, conflict)
		case Other:
			backOff = append(backOff, err)
		}
	}
	if len(backOff) > 0 {
		return reconcile.Result{}, errors.Join(backOff...)
	}
	return reconcile.Result{RequeueAfter: max(0, after)}, nil
}

// Unsaid logs that the API server, or a policy, will not take a status, and returns the error. Anything else that is invalid is told in
// the status, and the queue keeps silent about what waits for a change: of this nobody would hear.
func Unsaid(ctx context.Context, err error) error {
	if ClassOf(err) == Invalid {
		log.FromContext(ctx).Error(err, "The status cannot be written: trying again later", "after", Rejected.String())
	}
	return err
}

// flat takes joined errors apart: each has its own consequence.
func flat(errs []error) (all []error) {
	for _, err := range errs {
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			all = append(all, flat(joined.Unwrap())...)
		} else {
			all = append(all, err)
		}
	}
	return all
}

// Sooner is the shorter of two delays, where zero or less means none.
func Sooner(a, b time.Duration) time.Duration {
	if a <= 0 || (b > 0 && b < a) {
		return max(0, b)
	}
	return a
}

// Limiter bounds how long an object waits after failures, such as a quota that is full.
func Limiter() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](shortest, longest)
}

// Resync is how often everything is looked at though nothing happens. Our own status writes wake nobody, so neither does a status
// that somebody forged: it is made right when anything else happens to the object, or then.
const Resync = time.Hour

// SpecChanged lets through updates that change what is asked for. An object that was deleted and made again while a watch was
// interrupted is one update: both are of generation 1, and only the UID differs.
func SpecChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetUID() != e.ObjectNew.GetUID() || e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration()
	}}
}

// OrResync lets through what the predicate does, and the periodic look.
func OrResync(p predicate.Predicate) predicate.Predicate {
	return predicate.Or(p, predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetResourceVersion() == e.ObjectNew.GetResourceVersion()
		},
		GenericFunc: func(event.GenericEvent) bool { return false },
	})
}
