// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claimsfirst

import (
	"testing"
	"time"
)

var start = time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)

// at returns the time that is so long after the start. Work in the tests of the rule first asks at the start.
func at(after time.Duration) time.Time { return start.Add(after) }

// given says that the last slot at a rate was given for a time after the start.
func given(r rate, after time.Duration) map[rate]time.Time { return map[rate]time.Time{r: at(after)} }

func TestWhoWaitsAndHowLong(t *testing.T) {
	const ms = time.Millisecond
	for rule, tt := range map[string]struct {
		age        time.Duration
		claimsWait bool
		since      time.Duration // for which claims wait; zero is long
		reserved   slot
		last       map[rate]time.Time
		want       slot
	}{
		"without claims the first work goes ahead": {want: slot{fast, at(0)}},
		"without claims the next work waits for the next fast slot": {
			last: given(fast, 0), want: slot{fast, at(5 * ms)},
		},
		"without claims work is done at 200 a second, however many asked before": {
			last: given(fast, time.Second), want: slot{fast, at(1005 * ms)},
		},
		"without claims work waits for 10 s at most": {
			last: given(fast, time.Minute), want: slot{fast, at(10 * time.Second)},
		},
		"without claims slow slots that were given do not count": {
			last: given(slow, 8*time.Second), want: slot{fast, at(0)},
		},
		"a fast slot is kept until its time": {
			age: 20 * ms, reserved: slot{fast, at(30 * ms)}, last: given(fast, time.Second), want: slot{fast, at(30 * ms)},
		},
		"work that returns at its fast slot goes ahead": {
			age: 30 * ms, reserved: slot{fast, at(30 * ms)}, last: given(fast, time.Second), want: slot{fast, at(30 * ms)},
		},
		"work asks again soon while claims wait since a short time": {
			age: 3 * time.Second, claimsWait: true, since: 199 * ms, want: slot{soon, at(3230 * ms)},
		},
		"it gives up its fast slot": {
			claimsWait: true, since: ms, reserved: slot{fast, at(30 * ms)}, want: slot{soon, at(230 * ms)},
		},
		"work that asks again goes ahead if no claim waits": {
			age: 250 * ms, reserved: slot{soon, at(250 * ms)}, want: slot{fast, at(250 * ms)},
		},
		"work that asks again waits for its slot if no claim waits": {
			age: 250 * ms, reserved: slot{soon, at(250 * ms)}, last: given(fast, 250*ms), want: slot{fast, at(255 * ms)},
		},
		"when claims wait for 200 ms, it holds for long": {
			age: 250 * ms, claimsWait: true, since: 200 * ms, reserved: slot{soon, at(250 * ms)},
			want: slot{young, at(2 * time.Second)},
		},
		"what has a slot keeps it while claims wait since a short time": {
			age: time.Second, claimsWait: true, since: ms, reserved: slot{young, at(2 * time.Second)},
			want: slot{young, at(2 * time.Second)},
		},
		"a slow slot, too": {
			age: 3 * time.Second, claimsWait: true, since: ms, reserved: slot{slow, at(4 * time.Second)},
			want: slot{slow, at(4 * time.Second)},
		},
		"no work asks again after 10 s": {
			age: 9900 * ms, claimsWait: true, since: ms, reserved: slot{soon, at(9900 * ms)},
			want: slot{soon, at(10 * time.Second)},
		},
		"after 10 s it goes ahead": {
			age: 10 * time.Second, claimsWait: true, since: ms, reserved: slot{soon, at(10 * time.Second)},
			want: slot{soon, at(10 * time.Second)},
		},
		"young work holds for 2 s while claims wait": {claimsWait: true, want: slot{young, at(2 * time.Second)}},
		"2 s count from when it first asked": {
			age: 1999 * ms, claimsWait: true, want: slot{young, at(2 * time.Second)},
		},
		"young work gives up its fast slot when claims arrive": {
			age: 30 * ms, claimsWait: true, reserved: slot{fast, at(30 * ms)}, want: slot{young, at(2 * time.Second)},
		},
		"work that holds for claims is done at 200 a second": {
			claimsWait: true, last: given(young, 2*time.Second), want: slot{young, at(2005 * ms)},
		},
		"what was given to work that holds for claims does not delay the work after them": {
			last: given(young, 2*time.Second), want: slot{fast, at(0)},
		},
		"a slot after 2 s is kept until its time": {
			age: 2 * time.Second, claimsWait: true, reserved: slot{young, at(2500 * ms)}, want: slot{young, at(2500 * ms)},
		},
		"work that returns at its slot after 2 s goes ahead if no claim waits": {
			age: 2500 * ms, reserved: slot{young, at(2500 * ms)}, last: given(fast, 3*time.Second),
			want: slot{young, at(2500 * ms)},
		},
		"work that returns before its slot after 2 s goes ahead if no claim waits": {
			age: time.Second, reserved: slot{young, at(2500 * ms)}, want: slot{fast, at(time.Second)},
		},
		"no work holds for more than 10 s, however much holds for claims": {
			claimsWait: true, last: given(young, time.Minute), want: slot{young, at(10 * time.Second)},
		},
		"work that held for 2 s goes ahead in a free slow slot while claims wait": {
			age: 2 * time.Second, claimsWait: true, reserved: slot{young, at(2 * time.Second)},
			want: slot{slow, at(2 * time.Second)},
		},
		"work that held for 2 s waits for the next slow slot while claims wait": {
			age: 2 * time.Second, claimsWait: true, last: given(slow, 3*time.Second), want: slot{slow, at(3200 * ms)},
		},
		"fast slots that were given do not delay slow ones": {
			age: 2 * time.Second, claimsWait: true, last: given(fast, 3*time.Second), want: slot{slow, at(2 * time.Second)},
		},
		"old work gives up a fast slot for a slow one when claims arrive": {
			age: 3 * time.Second, claimsWait: true, reserved: slot{fast, at(3 * time.Second)}, last: given(slow, 3*time.Second),
			want: slot{slow, at(3200 * ms)},
		},
		"work that returns at its slow slot goes ahead while claims wait": {
			age: 4 * time.Second, claimsWait: true, reserved: slot{slow, at(4 * time.Second)}, last: given(slow, 9*time.Second),
			want: slot{slow, at(4 * time.Second)},
		},
		"a slow slot is kept until its time while claims wait": {
			age: 3 * time.Second, claimsWait: true, reserved: slot{slow, at(4 * time.Second)}, last: given(slow, 9*time.Second),
			want: slot{slow, at(4 * time.Second)},
		},
		"a slow slot becomes the next fast one when no claim waits any more": {
			age: 3 * time.Second, reserved: slot{slow, at(4 * time.Second)}, last: given(fast, 3*time.Second),
			want: slot{fast, at(3005 * ms)},
		},
		"a slow slot is kept if it comes before the next fast one": {
			age: 4 * time.Second, reserved: slot{slow, at(4 * time.Second)}, last: given(fast, 5*time.Second),
			want: slot{slow, at(4 * time.Second)},
		},
		"no work holds for more than 10 s while claims wait": {
			age: 2 * time.Second, claimsWait: true, last: given(slow, 10*time.Second), want: slot{slow, at(10 * time.Second)},
		},
		"work of 10 s goes ahead while claims wait": {
			age: 11 * time.Second, claimsWait: true, reserved: slot{young, at(2 * time.Second)},
			last: given(slow, 20*time.Second),
			want: slot{slow, at(10 * time.Second)},
		},
	} {
		since := at(tt.age).Add(-time.Hour)
		if tt.since > 0 {
			since = at(tt.age).Add(-tt.since)
		}
		got := decide(request{
			now: at(tt.age), claimsWait: tt.claimsWait, waitSince: since,
			firstAsked: start, reserved: tt.reserved, last: tt.last,
		})
		if got != tt.want {
			t.Errorf("%s: got %d at %s, want %d at %s", rule, got.rate, got.at.Sub(start), tt.want.rate, tt.want.at.Sub(start))
		}
	}
}
