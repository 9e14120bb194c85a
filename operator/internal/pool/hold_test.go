// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// claimWaits lets a claim wait since so long that work holds for long.
func (w *world) claimWaits(uid types.UID) {
	now := w.clock.Now()
	w.clock.SetTime(now.Add(-waits.ShortWait))
	w.gate.ClaimArrived(uid)
	w.clock.SetTime(now)
}

// fullPool returns a world with a pool of eight Ready members that nothing is left to do for.
func fullPool(t *testing.T, options Options) *world {
	t.Helper()
	w := newWorld(t, options, python(), poolOfThree(builders.WithReplicas(8)))
	w.settle()
	w.makeReady()
	w.settle()
	w.expectMembers(8)
	w.writes = nil
	return w
}

// take lets claims take so many members, and shows it to the cache.
func (w *world) take(count int) {
	w.t.Helper()
	for _, name := range w.members()[:count] {
		w.adoptByClaim(name)
	}
	w.syncCache()
}

// passes runs a reconcile that must not fail, and returns when the next is due.
func (w *world) passes() time.Duration {
	w.t.Helper()
	again, err := w.pass()
	if err != nil {
		w.t.Fatal(err)
	}
	return again
}

func TestOnlyTheRefillHoldsForClaims(t *testing.T) {
	for name, tt := range map[string]struct {
		do      func(*world)
		members int
	}{
		"what claims took is not replaced while claims wait": {func(w *world) { w.take(3) }, 5},
		"who scales up waits for no claim":                   {func(w *world) { w.take(3); w.scale(12) }, 9},
		"who scales down neither":                            {func(w *world) { w.take(3); w.scale(2) }, 2},
		"a member that somebody deleted is replaced": {func(w *world) {
			_ = w.store.Delete(context.Background(), w.stored()[w.members()[0]])
			w.take(1)
		}, 7},
		"a dry pool is refilled": {func(w *world) { w.take(8) }, 8},
		"a pool whose other members are not Ready is dry": {func(w *world) {
			for _, name := range w.members()[1:] {
				w.setCondition(name, "Ready", false)
			}
			w.take(1)
		}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			w := fullPool(t, testOptions)
			w.claimWaits("claim")
			tt.do(w)
			w.syncCache()
			w.passes()
			w.expectMembers(tt.members)
		})
	}
}

func TestTheRefillGoesOnWhenNoClaimWaitsAnyMoreAndAfterTwoSecondsInAnyCase(t *testing.T) {
	for name, tt := range map[string]struct {
		meanwhile func(*world)
		members   int
	}{
		"the claim still waits": {func(w *world) { w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst - 1)) }, 5},
		"the claim is served":   {func(w *world) { w.gate.ClaimServed("claim") }, 8},
		"the claim waits for two seconds, and there are members for it": {func(w *world) {
			w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
		}, 6},
		"the claim waits for two seconds, and half a second more": {func(w *world) {
			w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
			w.passes()
			if again := w.passes(); again != waits.CoveredRefill {
				w.t.Errorf("again in %s", again)
			}
			w.clock.SetTime(w.clock.Now().Add(waits.CoveredRefill))
		}, 6},
		"the claim waits for four seconds": {func(w *world) {
			w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
			w.passes()
			w.passes()
			w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst + waits.FastSlot))
		}, 7},
		"others wait since less than half a second": {func(w *world) {
			w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
			w.claimWaits("another claim")
		}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			w := fullPool(t, testOptions)
			w.claimWaits("claim")
			w.take(3)
			w.passes()
			w.expectMembers(5)
			tt.meanwhile(w)
			w.passes()
			w.expectMembers(tt.members)
		})
	}
}

func TestARoundOfRefillDoesNotInheritTheAgeOfTheOneBefore(t *testing.T) {
	w := fullPool(t, testOptions)
	w.claimWaits("a")
	w.take(1)
	w.passes() // holds
	w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
	w.claimWaits("more come") // so that the refill goes ahead without asking
	w.settle()
	w.makeReady()
	w.settle()
	w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
	w.claimWaits("b")
	w.take(1)
	if again := w.passes(); len(w.members()) != 7 || again > waits.ClaimsFirst || again < waits.PoolStatus {
		t.Errorf("%d members, again in %s", len(w.members()), again)
	}
}

func TestABatchOfRefillsEndsWhenAClaimWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(*world)
		made   int
		again  time.Duration
	}{
		"while claims keep coming": {func(*world) {}, 1, waits.NextRefill},
		"and after them, in its rounds": {func(w *world) {
			w.clock.SetTime(w.clock.Now().Add(waits.AdoptionPause))
		}, 1, waits.NextRefill},
		"and at full speed, however late it is": {func(w *world) {
			w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
		}, 1, waits.NextRefill},
		"but not if it is two seconds behind": {func(w *world) {
			w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
			w.take(1) // and they keep coming
		}, 6, waits.ClaimsFirst},
	} {
		t.Run(name, func(t *testing.T) {
			w := fullPool(t, testOptions)
			w.claimWaits("first")
			w.take(5)
			w.passes()
			w.gate.ClaimServed("first")
			tt.before(w)
			made := 0
			w.intercept = func(what string, do func() error) error {
				if what == "create Sandbox" {
					if made++; made == 1 {
						w.claimWaits("second")
					}
				}
				return do()
			}
			if again := w.passes(); made != tt.made || again != tt.again {
				t.Errorf("%d were made, again in %s; want %d, %s", made, again, tt.made, tt.again)
			}
		})
	}
}

func TestTheStatusOfAPoolHoldsForClaimsUnlessSomebodyWaitsForIt(t *testing.T) {
	written := func(w *world) int { return count(w.writes)["patch SandboxWarmPool/status"] }
	refuseMembers := func(what string, do func() error) error {
		if what == "create Sandbox" {
			return errors.New("no")
		}
		return do()
	}
	w := fullPool(t, testOptions)
	w.intercept = refuseMembers
	w.claimWaits("claim")
	w.take(3)
	_, _ = w.pass()
	w.clock.SetTime(w.clock.Now().Add(waits.PoolStatus))
	_, _ = w.pass()
	if written(w) != 0 {
		t.Error("it was written while a claim waits")
	}
	w.scale(9)
	_, _ = w.pass()
	if written(w) != 1 {
		t.Error("the answer to a new spec was not written")
	}
	w.take(1)
	_, _ = w.pass()
	w.clock.SetTime(w.clock.Now().Add(waits.PoolStatus))
	_, _ = w.pass()
	w.clock.SetTime(w.clock.Now().Add(waits.ClaimsFirst))
	_, _ = w.pass()
	if written(w) != 2 {
		t.Errorf("it was written %d times", written(w))
	}
}

func TestOnlyWhatAClaimTookIsAnAdoption(t *testing.T) {
	away := func(w *world, name string) {
		s := w.sandbox(name)
		s.OwnerReferences = nil
		delete(s.Labels, "agents.x-k8s.io/warm-pool-sandbox")
		if err := w.store.Update(context.Background(), s); err != nil {
			w.t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		do   func(*world, string)
		want int
	}{
		"a claim has it": {(*world).adoptByClaim, 1},
		"somebody deleted it": {func(w *world, name string) {
			_ = w.store.Delete(context.Background(), w.sandbox(name))
		}, 0},
		"somebody removed its owner": {away, 0},
		"a claim had it and is gone": {func(w *world, name string) {
			w.adoptByClaim(name)
			_ = w.store.Delete(context.Background(), w.sandbox(name))
		}, 0},
		"a claim has another one of its name": {func(w *world, name string) {
			w.adoptByClaim(name)
			s := w.sandbox(name)
			_ = w.store.Delete(context.Background(), s)
			s.UID, s.ResourceVersion = "another", ""
			if err := w.store.Create(context.Background(), s); err != nil {
				w.t.Fatal(err)
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := fullPool(t, testOptions)
			w.claimWaits("claim")
			tt.do(w, w.members()[0])
			w.syncCache()
			w.passes()
			if got := 8 - len(w.members()); got != tt.want {
				t.Errorf("%d are not replaced, want %d", got, tt.want)
			}
		})
	}
	w := fullPool(t, testOptions)
	w.claimWaits("claim")
	var made *agentsv1beta1.Sandbox
	w.scale(9)
	w.passes()
	for name, s := range w.stored() {
		if w.cache[name] == nil {
			made = s
		}
	}
	w.adoptByClaim(made.Name) // before the cache shows it
	w.syncCache()
	w.passes()
	w.expectMembers(8)
}
