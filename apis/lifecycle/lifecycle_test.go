// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"math"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
)

var now = time.Date(2026, time.April, 13, 12, 0, 0, 0, time.UTC)

// in returns a shutdown time at that distance from now.
func in(d time.Duration) *metav1.Time { return new(metav1.NewTime(now.Add(d))) }

// finished returns a condition Finished with that status, which changed that long ago.
func finished(status metav1.ConditionStatus, ago time.Duration) []metav1.Condition {
	return []metav1.Condition{
		{
			Type: string(apis.ConditionReady), Status: metav1.ConditionTrue,
			LastTransitionTime: metav1.NewTime(now.Add(-time.Hour)),
		},
		{Type: string(apis.ConditionFinished), Status: status, LastTransitionTime: metav1.NewTime(now.Add(-ago))},
	}
}

func TestDeadline(t *testing.T) {
	ended := finished(metav1.ConditionTrue, 30*time.Second)
	tests := map[string]struct {
		shutdown   *metav1.Time
		ttl        *int32
		conditions []metav1.Condition
		reached    bool
		remaining  time.Duration
		cause      lifecycle.Cause
	}{
		"nothing configured never comes": {},
		"nothing configured never comes, finished or not": {
			conditions: ended,
		},
		"a time to live counts from the end": {
			ttl: ptr.To[int32](120), conditions: ended, remaining: 90 * time.Second, cause: lifecycle.CauseFinished,
		},
		"a time to live of zero is over at the end": {
			ttl: ptr.To[int32](0), conditions: ended, reached: true, cause: lifecycle.CauseFinished,
		},
		"a time to live of zero is over at the very instant of the end": {
			ttl: ptr.To[int32](0), conditions: finished(metav1.ConditionTrue, 0), reached: true, cause: lifecycle.CauseFinished,
		},
		"a time to live that is over now is over": {
			ttl: ptr.To[int32](30), conditions: ended, reached: true, cause: lifecycle.CauseFinished,
		},
		"a time to live waits for the end": {ttl: ptr.To[int32](120)},
		"a Finished condition that is False is no end": {
			ttl: ptr.To[int32](0), conditions: finished(metav1.ConditionFalse, time.Hour),
		},
		"a Finished condition that is Unknown is no end": {
			ttl: ptr.To[int32](0), conditions: finished(metav1.ConditionUnknown, time.Hour),
		},
		"a Finished condition without a time is no end": {
			ttl:        ptr.To[int32](0),
			conditions: []metav1.Condition{{Type: string(apis.ConditionFinished), Status: metav1.ConditionTrue}},
		},
		"another condition that is True is no end": {
			ttl:        ptr.To[int32](0),
			conditions: finished(metav1.ConditionFalse, 0)[:1],
		},
		"an earlier shutdown time wins over a time to live": {
			shutdown: in(5 * time.Second), ttl: ptr.To[int32](120), conditions: ended,
			remaining: 5 * time.Second, cause: lifecycle.CauseShutdownTime,
		},
		"a later shutdown time loses to a time to live": {
			shutdown: in(5 * time.Minute), ttl: ptr.To[int32](120), conditions: ended,
			remaining: 90 * time.Second, cause: lifecycle.CauseFinished,
		},
		"of two deadlines at one instant the shutdown time is named": {
			shutdown: in(90 * time.Second), ttl: ptr.To[int32](120), conditions: ended,
			remaining: 90 * time.Second, cause: lifecycle.CauseShutdownTime,
		},
		"a shutdown time counts while a time to live waits for the end": {
			shutdown: in(time.Minute), ttl: ptr.To[int32](0), remaining: time.Minute, cause: lifecycle.CauseShutdownTime,
		},
		"a shutdown time is reached at its instant": {
			shutdown: in(0), reached: true, cause: lifecycle.CauseShutdownTime,
		},
		"a shutdown time is not reached a nanosecond before": {
			shutdown: in(1), remaining: 1, cause: lifecycle.CauseShutdownTime,
		},
		"a shutdown time in the past is reached": {
			shutdown: in(-time.Hour), reached: true, cause: lifecycle.CauseShutdownTime,
		},
		"a shutdown time in another zone is the same instant": {
			shutdown:  new(metav1.NewTime(now.Add(time.Minute).In(time.FixedZone("east", 5*3600)))),
			remaining: time.Minute, cause: lifecycle.CauseShutdownTime,
		},
		"a zero shutdown time is none": {shutdown: &metav1.Time{}},
		"the longest time to live does not overflow": {
			ttl: ptr.To[int32](math.MaxInt32), conditions: ended,
			remaining: math.MaxInt32*time.Second - 30*time.Second, cause: lifecycle.CauseFinished,
		},
		"a shutdown time beyond any duration does not overflow": {
			shutdown:  new(metav1.NewTime(time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC))),
			remaining: math.MaxInt64, cause: lifecycle.CauseShutdownTime,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := lifecycle.Of(test.shutdown, test.ttl, test.conditions)
			if got := d.Reached(now); got != test.reached {
				t.Errorf("reached: got %t, want %t", got, test.reached)
			}
			if got := d.Remaining(now); got != test.remaining {
				t.Errorf("remaining: got %s, want %s", got, test.remaining)
			}
			if got := d.Cause(); got != test.cause {
				t.Errorf("cause: got %q, want %q", got, test.cause)
			}
			if got, want := d.IsSet(), test.cause != lifecycle.CauseNone; got != want {
				t.Errorf("set: got %t, want %t", got, want)
			}
		})
	}
}

func TestADeadlineThatIsSetTellsItsInstant(t *testing.T) {
	want := now.Add(90 * time.Second)
	for name, d := range map[string]lifecycle.Deadline{
		"of a shutdown time": lifecycle.Of(in(90*time.Second), nil, nil),
		"of a time to live":  lifecycle.Of(nil, ptr.To[int32](120), finished(metav1.ConditionTrue, 30*time.Second)),
		"of the earlier rule": lifecycle.Of(in(time.Hour), ptr.To[int32](120),
			finished(metav1.ConditionTrue, 30*time.Second)),
	} {
		if !d.At().Equal(want) {
			t.Errorf("%s: got %s, want %s", name, d.At(), want)
		}
	}
}

// A reconcile after Remaining finds the deadline reached: there is no second wait and no busy loop.
func TestWaitingForWhatRemainsReachesTheDeadline(t *testing.T) {
	for _, left := range []time.Duration{1, time.Millisecond, time.Second, 90 * time.Second, 48 * time.Hour} {
		d := lifecycle.Of(in(left), nil, nil)
		if then := now.Add(d.Remaining(now)); !d.Reached(then) || d.Remaining(then) != 0 {
			t.Errorf("with %s left the deadline is not reached after waiting %s", left, d.Remaining(now))
		}
	}
}

func TestTheZeroDeadlineNeverComes(t *testing.T) {
	var d lifecycle.Deadline
	if d.IsSet() || d.Reached(now.AddDate(5000, 0, 0)) || d.Remaining(now) != 0 {
		t.Error("the zero Deadline is set, reached, or asks to be looked at again")
	}
}
