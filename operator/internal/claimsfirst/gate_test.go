// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claimsfirst

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

func TestInABurstEverythingHoldsUntilTheLastClaimIsServedAndThenDrainsAtABoundedRate(t *testing.T) {
	w := newWorld(t)
	w.arrive(300)
	w.sleep(1500 * time.Millisecond)
	for i := range 300 {
		w.ClaimServed(types.UID(fmt.Sprint("claim-", i)))
	}
	if w.Waiting() {
		t.Error("all claims are served, and some wait")
	}
	w.sleep(3 * time.Second)
	w.expectBounded(300)
	if n := w.doneBetween(0, 2*time.Second); n != 0 {
		t.Errorf("%d pieces of work were done while claims waited", n)
	}
	for from := 2 * time.Second; from < 4*time.Second; from += 100 * time.Millisecond {
		if n := w.doneBetween(from, from+100*time.Millisecond); n > 21 {
			t.Errorf("%d pieces of work were done in the 100 ms after %s, which is more than 200 a second", n, from)
		}
	}
	if n := w.doneBetween(2*time.Second, 3600*time.Millisecond); n != 300 {
		t.Errorf("%d of 300 pieces of work were done at 3.6 s", n)
	}
}

func TestInATrickleNothingHoldsBetweenClaims(t *testing.T) {
	w := newWorld(t)
	for i := range 100 {
		claim := types.UID(fmt.Sprint(i))
		w.ClaimArrived(claim)
		w.sleep(30 * time.Millisecond)
		w.ClaimServed(claim)
		w.ask(fmt.Sprint("metadata-", i))
		w.sleep(70 * time.Millisecond)
	}
	w.expectBounded(100)
	if w.asked != 100 {
		t.Errorf("work asked %d times, want 100", w.asked)
	}
}

func TestWorkFinishesAlthoughClaimsWaitWithoutEnd(t *testing.T) {
	for _, perSecond := range []int{5, 20, 50} {
		t.Run(fmt.Sprint(perSecond, " a second"), func(t *testing.T) {
			w := newWorld(t)
			const seconds = 20
			for i := range seconds * perSecond {
				w.ClaimArrived(types.UID(fmt.Sprint("claim-", i)))
				w.ask(fmt.Sprint("work-", i))
				if i > perSecond {
					w.ClaimServed(types.UID(fmt.Sprint("claim-", i-perSecond)))
				}
				w.sleep(time.Second / time.Duration(perSecond))
			}
			w.ClaimArrived("last")
			w.sleep(9 * time.Second)
			w.ClaimArrived("later still")
			w.sleep(time.Second)
			w.expectBounded(seconds * perSecond)
			if n := w.doneBetween(0, 2*time.Second); n != 0 {
				t.Errorf("%d pieces of work were done in the first two seconds", n)
			}
			if n := w.doneBetween(3*time.Second, 10*time.Second); n > 7*21 {
				t.Errorf("%d pieces of work were done in 7 seconds, which is more than 20 a second", n)
			}
		})
	}
}

func TestAClaimThatNobodyServesCountsForTenSeconds(t *testing.T) {
	w := newWorld(t)
	w.ClaimArrived("leaked")
	w.sleep(6 * time.Second)
	w.ClaimArrived("leaked") // it is queued again
	w.sleep(4*time.Second - 1)
	if !w.Waiting() {
		t.Error("before 10 s the claim does not wait")
	}
	w.sleep(1)
	if w.Waiting() {
		t.Error("after 10 s the claim still waits")
	}
	if hold := w.Hold(Refill, "pool"); hold != 0 {
		t.Errorf("refill holds for %s", hold)
	}
	w.ClaimArrived("leaked")
	if w.Waiting() {
		t.Error("a claim that arrives again and again counts for more than 10 s")
	}
	w.ClaimServed("leaked")
	w.ClaimServed("never arrived")
	w.ClaimArrived("leaked") // and now it waits for something new
	if !w.Waiting() {
		t.Error("a claim that was served does not count when it arrives again")
	}
}

func TestAnOldClaimThatIsServedDoesNotHideAYoungOne(t *testing.T) {
	w := newWorld(t)
	w.ClaimArrived("old")
	w.ClaimArrived("young")
	w.ClaimArrived("young")
	w.ClaimServed("young")
	if !w.Waiting() {
		t.Error("the old claim still waits")
	}
	w.ClaimServed("old")
	if w.Waiting() {
		t.Error("no claim waits")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	w := newWorld(t)
	for i := range 1000 {
		w.ClaimArrived(types.UID(fmt.Sprint(i)))
		w.Hold(MemberStatus, fmt.Sprint(i)) // and it never returns
	}
	w.clock.SetTime(at(time.Minute - 1))
	w.ClaimArrived("last")
	if claims, works := len(w.claims.byKey), len(w.works.byKey); claims != 1001 || works != 1000 {
		t.Errorf("before a minute %d claims and %d pieces of work are remembered", claims, works)
	}
	w.clock.SetTime(at(time.Minute))
	w.ClaimServed("last")
	w.Waiting()
	for name, n := range map[string]int{
		"claims": len(w.claims.byKey), "work": len(w.works.byKey),
		"claims in order": w.claims.order.Len(), "work in order": w.works.order.Len(),
	} {
		if n != 0 {
			t.Errorf("%s: %d are remembered after a minute", name, n)
		}
	}
}

func TestKindsOfWorkAndKeysAreDifferentWork(t *testing.T) {
	w := newWorld(t)
	w.ClaimArrived("claim")
	w.sleep(waits.ShortWait)
	w.Hold(Refill, "a")
	w.sleep(time.Second)
	if hold := w.Hold(Refill, "b"); hold != 2*time.Second {
		t.Errorf("another pool's refill holds for %s, want 2 s from when it asked", hold)
	}
	if hold := w.Hold(PoolStatus, "a"); hold != 2*time.Second+waits.FastSlot {
		t.Errorf("other work holds for %s, want the slot after the last one", hold)
	}
	if hold := w.Hold(Refill, "a"); hold != time.Second {
		t.Errorf("work that returns early holds for %s, want what is left", hold)
	}
}

func TestSlotsAreSharedByAllKindsOfWork(t *testing.T) {
	w := newWorld(t)
	holds := func() (all []time.Duration) {
		for _, work := range []Work{ClaimMetadata, Refill, Event, MemberStatus, PodMetadata, PoolStatus} {
			all = append(all, w.Hold(work, "same"))
		}
		return all
	}
	const ms = time.Millisecond
	if got, want := holds(), []time.Duration{0, 0, 5 * ms, 0, 10 * ms, 15 * ms}; !slices.Equal(got, want) {
		t.Errorf("without claims %v, want %v: members come at the pool's own rate", got, want)
	}
	w = newWorld(t)
	w.ClaimArrived("claim")
	w.sleep(waits.ShortWait)
	want := []time.Duration{2000 * ms, 2005 * ms, 2010 * ms, 2015 * ms, 2020 * ms, 2025 * ms}
	if got := holds(); !slices.Equal(got, want) {
		t.Errorf("with a claim %v, want %v", got, want)
	}
	w.ClaimServed("claim")
	if hold := w.Hold(MemberStatus, "same"); hold != 0 || len(w.works.byKey) != 5 {
		t.Errorf("a member's status holds for %s although no claim waits; %d pieces of work hold", hold, len(w.works.byKey))
	}
}

func TestClaimsThatWaitAreCounted(t *testing.T) {
	w := newWorld(t)
	expect := func(when string, want Claims) {
		t.Helper()
		if diff := cmp.Diff(want, w.Claims()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	expect("none arrived", Claims{})
	w.ClaimArrived("a")
	w.clock.SetTime(at(time.Second))
	w.ClaimArrived("b")
	w.ClaimArrived("a")
	expect("two arrived", Claims{Waiting: 2, WantMember: 2, Last: at(time.Second)})
	w.ClaimHasMember("a", true)
	w.ClaimHasMember("a", true)
	w.ClaimHasMember("b", true)
	w.ClaimHasMember("b", false)
	w.ClaimHasMember("never arrived", true)
	expect("one has a member", Claims{Waiting: 2, WantMember: 1, Last: at(time.Second)})
	w.ClaimServed("b")
	expect("the other is served", Claims{Waiting: 1, Last: start})
	w.ClaimServed("a")
	w.ClaimArrived("a")
	expect("it wants another one", Claims{Waiting: 1, WantMember: 1, Last: at(time.Second)})
	w.clock.SetTime(at(11 * time.Second))
	expect("claims count for 10 s", Claims{})
}

// TestRaces is for the race detector, and expects that nothing is left behind.
func TestRaces(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 500 {
				claim := types.UID(fmt.Sprint(worker, "-", i))
				w.ClaimArrived(claim)
				w.Hold(Event, string(claim))
				w.Hold(Refill, fmt.Sprint(i%3))
				w.clock.SetTime(w.clock.Now().Add(time.Millisecond))
				if !w.Waiting() {
					t.Error("a claim arrived, and none waits")
				}
				w.ClaimServed(claim)
			}
		})
	}
	all.Wait()
	if w.Waiting() || len(w.claims.byKey) != 0 {
		t.Errorf("%d claims are remembered, and all are served", len(w.claims.byKey))
	}
	w.clock.SetTime(w.clock.Now().Add(time.Minute))
	if hold := w.Hold(Event, "last"); hold != 0 || len(w.works.byKey) != 0 {
		t.Errorf("holds for %s, %d pieces of work are remembered", hold, len(w.works.byKey))
	}
}
