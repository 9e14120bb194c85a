// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package predicates holds the event filters that several controllers share.
package predicates

import (
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// SpecChanged passes updates that change the generation or the UID. An object that is deleted and recreated while a
// watch is interrupted arrives as one update: both objects can have generation 1, and only the UID differs.
func SpecChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetUID() != e.ObjectNew.GetUID() || e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration()
	}}
}

// OrResync passes what p passes, and the updates of the periodic resync, whose two objects are the same version.
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
