// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EventTime returns when an event happened last, whichever of its fields the writer filled.
func EventTime(e *corev1.Event) metav1.Time {
	switch {
	case e.Series != nil && !e.Series.LastObservedTime.IsZero():
		return metav1.NewTime(e.Series.LastObservedTime.Time)
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp
	case !e.EventTime.IsZero():
		return metav1.NewTime(e.EventTime.Time)
	}
	return e.CreationTimestamp
}

// latestEvent returns the latest event about an object that matches, or nil if there is none.
func latestEvent(snapshot *Snapshot, kind, name string, matches func(*corev1.Event) bool) *corev1.Event {
	var latest *corev1.Event
	for i := range snapshot.Events {
		e := &snapshot.Events[i]
		if e.InvolvedObject.Kind != kind || e.InvolvedObject.Name != name || !matches(e) {
			continue
		}
		if latest == nil || EventTime(e).After(EventTime(latest).Time) {
			latest = e
		}
	}
	return latest
}

// eventCount returns how many times an event happened, and 0 if it is nil.
func eventCount(e *corev1.Event) int32 {
	switch {
	case e == nil:
		return 0
	case e.Series != nil:
		return max(e.Series.Count, e.Count)
	}
	return max(e.Count, 1)
}
