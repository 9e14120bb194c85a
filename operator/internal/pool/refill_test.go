// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// taken returns adoptions that are so old, the last of which was so long ago.
func taken(count int, since, last time.Duration) adoptions {
	return adoptions{count: count, since: testNow.Add(-since), last: testNow.Add(-last)}
}

func TestPaceOfTheRefill(t *testing.T) {
	const grace = 5 * time.Minute
	type outcome struct {
		create, refill, inFlight int
		refillAgain, again       time.Duration
	}
	now := taken(3, 0, 0)
	// waiting are claims of which some want a member, and two have one; the last of them arrived some time ago.
	waiting := func(wantMember int, ago time.Duration) claimsfirst.Claims {
		return claimsfirst.Claims{Waiting: wantMember + 2, WantMember: wantMember, Last: testNow.Add(-ago)}
	}
	tests := map[string]struct {
		replicas        int32
		ready, starting int
		seen            observed
		options         func(*Options)
		want            outcome
	}{
		"while claims keep coming, one is made at a time": {replicas: 8, ready: 5, seen: observed{adoptions: now},
			want: outcome{refill: 3, inFlight: 1}},
		"a quarter of the pool is enough for one at a time": {replicas: 8, ready: 2, starting: 3,
			seen: observed{adoptions: now}, want: outcome{refill: 3, inFlight: 1, again: grace}},
		"with less than a quarter, two are": {replicas: 9, ready: 2, starting: 4, seen: observed{adoptions: now},
			want: outcome{refill: 3, inFlight: 2, again: grace}},
		"a dry pool makes all it can, and nothing holds it": {replicas: 8, starting: 5, seen: observed{adoptions: now},
			want: outcome{create: 3, again: grace}},
		"even while claims wait": {replicas: 8, starting: 5,
			seen: observed{adoptions: now, claims: waiting(1, 0)},
			want: outcome{create: 3, again: grace}},
		"once claims have stopped, all are made at once": {replicas: 8, ready: 5,
			seen: observed{adoptions: taken(3, time.Second, waits.AdoptionPause)}, want: outcome{refill: 3, inFlight: 16}},
		"not a moment sooner": {replicas: 8, ready: 5,
			seen: observed{adoptions: taken(3, time.Second, waits.AdoptionPause-1)}, want: outcome{refill: 3, inFlight: 1}},
		"nor while claims wait that took nothing of this pool": {replicas: 8, ready: 5,
			seen: observed{adoptions: taken(3, time.Second, time.Minute), claims: waiting(1, 0)},
			want: outcome{refill: 3, inFlight: 1}},
		"the end of a burst has the members that it needs": {replicas: 8, ready: 5,
			seen: observed{adoptions: now, claims: waiting(5, waits.AdoptionPause)},
			want: outcome{refill: 1, inFlight: 1, refillAgain: waits.NextRefill}},
		"unless more claims wait": {replicas: 8, ready: 5,
			seen: observed{adoptions: now, claims: waiting(6, waits.AdoptionPause)},
			want: outcome{refill: 3, inFlight: 1}},
		"or more may come": {replicas: 8, ready: 5,
			seen: observed{adoptions: now, claims: waiting(5, waits.AdoptionPause-1)},
			want: outcome{refill: 3, inFlight: 1}},
		"the next batch follows at once": {replicas: 100, ready: 50, seen: observed{adoptions: taken(50, 0, 0)},
			want: outcome{refill: 10, inFlight: 1, refillAgain: waits.NextRefill}},
		"who scales a pool up waits for nobody": {replicas: 100, ready: 30,
			seen: observed{adoptions: now, claims: waiting(1, 0)},
			want: outcome{create: 67, refill: 3, inFlight: 1}},
		"who scales it up by more than a batch waits for the next": {replicas: 400, ready: 50,
			seen: observed{adoptions: now}, want: outcome{create: 300, again: waits.NextBatch}},
		"a large refill without claims leaves others their turn": {replicas: 400, ready: 50,
			seen: observed{adoptions: taken(350, time.Minute, time.Minute)},
			want: outcome{refill: 300, inFlight: 16, refillAgain: waits.NextBatch}},
		"what a lagging cache does not show yet is not made again": {replicas: 8, ready: 5, seen: observed{adoptions: now,
			pending: pendingWrites{creations: map[string]pendingCreation{"a": {}, "b": {}, "c": {}}}},
			want: outcome{again: waits.CacheLag}},
		"a pool that was scaled down refills nothing": {replicas: 5, ready: 5, seen: observed{adoptions: now}},
		"a rate limits the refill": {replicas: 8, ready: 5,
			seen:    observed{adoptions: now, bucket: tokenBucket{tokens: 1.5, at: testNow}},
			options: func(o *Options) { o.RefillRate = 1 },
			want:    outcome{refill: 1, inFlight: 1, refillAgain: 500 * time.Millisecond}},
		"what somebody waits for has the first tokens": {replicas: 10, ready: 5,
			seen:    observed{adoptions: now, bucket: tokenBucket{tokens: 1.5, at: testNow}},
			options: func(o *Options) { o.RefillRate = 1 },
			want:    outcome{create: 1, inFlight: 1, again: 500 * time.Millisecond}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			options := testOptions
			if tt.options != nil {
				tt.options(&options)
			}
			for i := range tt.ready {
				tt.seen.members = append(tt.seen.members, member(fmt.Sprint("ready-", i), 0, markReady))
			}
			for i := range tt.starting {
				tt.seen.members = append(tt.seen.members, member(fmt.Sprint("starting-", i), 0))
			}
			tt.seen.template, tt.seen.blueprintHash = python(), sandboxspec.BlueprintHash(python())
			p := decide(testNow, poolOfThree(builders.WithReplicas(tt.replicas)), tt.seen, options)
			if got := (outcome{p.create, p.refill, p.refillParallelism, p.refillAgain, p.requeueAfter}); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestARefillThatHoldsIsAskedAgainWhenItsHoldEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		hold, again time.Duration
		refill      int
	}{
		"it goes ahead":                    {0, waits.NextRefill, 10},
		"it holds, and its batch does too": {time.Second, time.Second, 0},
	} {
		p := plan{refill: 10, refillAgain: waits.NextRefill, requeueAfter: time.Minute}
		if p.holdRefill(tt.hold); p.refill != tt.refill || p.requeueAfter != tt.again {
			t.Errorf("%s: refill %d, again in %s", name, p.refill, p.requeueAfter)
		}
	}
}

func TestARefillThatMayNotHoldTakesNoSlotOfOtherWork(t *testing.T) {
	w := newWorld(t, testOptions)
	w.claimWaits("claim")
	old := plan{refill: 1, adoptions: taken(1, waits.ClaimsFirst, 0)}
	if hold := w.reconciler.refillHold(poolOfThree(), old, testNow); hold != 0 {
		t.Errorf("it holds for %s", hold)
	}
	if hold := w.gate.Hold(claimsfirst.Event, "event"); hold != waits.ClaimsFirst {
		t.Errorf("other work holds for %s", hold)
	}
}

func TestAdoptionsThatAreLeftToReplace(t *testing.T) {
	ago := func(d time.Duration) time.Time { return testNow.Add(-d) }
	for name, tt := range map[string]struct {
		before         adoptions
		taken, missing int
		want           adoptions
	}{
		"none":                         {},
		"the first counts from now on": {taken: 1, missing: 1, want: adoptions{1, testNow, testNow}},
		"further ones do not make it younger": {taken(2, time.Second, time.Second), 1, 3,
			adoptions{3, ago(time.Second), testNow}},
		"without a new one claims may have stopped": {taken(2, time.Second, time.Second), 0, 2,
			taken(2, time.Second, time.Second)},
		"a member that was made replaces one": {taken(2, time.Second, time.Second), 0, 1,
			taken(1, time.Second, time.Second)},
		"a pool that kept up is not behind for long": {taken(1, time.Second, time.Second), 1, 1,
			adoptions{1, testNow, testNow}},
		"a pool that is whole has replaced all": {taken(2, time.Second, time.Second), 0, 0, adoptions{}},
		"a pool that was scaled down, too":      {taken(2, time.Second, time.Second), 1, -4, adoptions{}},
		"others that are missing do not count": {taken(2, time.Second, time.Second), 0, 9,
			taken(2, time.Second, time.Second)},
	} {
		if got := tt.before.next(tt.taken, tt.missing, testNow); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestATrickleKeepsToItsRequestsInFlight(t *testing.T) {
	for _, parallelism := range []int{1, 2} {
		var running, most atomic.Int32
		slowStartBatch(context.Background(), 50, parallelism, func(int) error {
			most.Store(max(most.Load(), running.Add(1)))
			runtime.Gosched()
			running.Add(-1)
			return nil
		})
		if int(most.Load()) > parallelism {
			t.Errorf("%d at once, want %d", most.Load(), parallelism)
		}
	}
}
