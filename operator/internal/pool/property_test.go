// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/soak"
)

// chaos simulates users, claims, nodes, a lagging watch and a failing server, in an order that the seed determines.
type chaos struct {
	*world

	rng     *rand.Rand
	claims  map[string]bool // Sandboxes that claims hold
	history []string
}

func (c *chaos) step() {
	names := c.members()
	some := func() string { return names[c.rng.IntN(len(names))] }
	switch what := c.rng.IntN(14); {
	case what < 4:
		c.record("pass")
		_, _ = c.pass()
	case what < 6:
		c.record("the watch shows some")
		for _, name := range c.known() {
			if c.rng.IntN(2) == 0 {
				c.deliverToCache(name)
			}
		}
	case what == 6 && len(names) > 0:
		name := some()
		c.record("claim takes " + name)
		c.adoptByClaim(name)
		c.claims[name] = true
	case what == 7 && len(names) > 0:
		name := some()
		c.record("somebody deletes " + name)
		_ = c.store.Delete(context.Background(), c.stored()[name])
	case what == 8:
		size := c.rng.Int32N(7)
		c.record(fmt.Sprintf("scale to %d", size))
		c.scale(size)
	case what == 9 && len(names) > 0:
		kind := []apis.ConditionType{apis.ConditionReady, apis.ConditionFinished}[c.rng.IntN(2)]
		name := some()
		c.record(fmt.Sprintf("%s becomes %s", name, kind))
		c.setCondition(name, kind, true)
	case what == 10:
		c.record("new template")
		c.updateTemplate(image(fmt.Sprintf("localhost/python:%d", c.rng.IntN(3))))
	case what == 11 && c.rng.IntN(4) == 0:
		c.record("restart")
		c.restart()
	case what == 12:
		c.record("a claim waits")
		c.gate.ClaimArrived("waiting")
	case what == 13:
		c.record("no claim waits")
		c.gate.ClaimServed("waiting")
	default:
		c.record("time passes")
		c.clock.SetTime(c.clock.Now().Add(time.Duration(c.rng.IntN(20000)) * time.Millisecond))
	}
}

func (c *chaos) record(what string) { c.history = append(c.history, what) }

// known returns the names of all Sandboxes on the server or in the cache.
func (c *chaos) known() []string {
	var all []string
	for name := range c.stored() {
		all = append(all, name)
	}
	for name := range c.cache {
		all = append(all, name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// answerWrite carries a write out, or not, and says so, or not. Nobody may ever see more members than the pool asked
// for when one was made.
func (c *chaos) answerWrite(t *testing.T, what string, do func() error) error {
	defer func() {
		if wanted := replicas(c.pool()); what == "create Sandbox" && len(c.members()) > wanted {
			t.Errorf("%d members were made where %d are asked for", len(c.members()), wanted)
		}
	}()
	switch c.rng.IntN(12) {
	case 0:
		return apierrors.NewTooManyRequests("busy", 1)
	case 1:
		_ = do()
		return errors.New("the answer was lost")
	case 2:
		return errors.New("the question was lost")
	default:
		return do()
	}
}

func run(t *testing.T, seed uint64, options Options) {
	t.Helper()
	recreate := builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)
	c := &chaos{
		world: newWorld(t, options, python(), poolOfThree(recreate)), rng: rand.New(rand.NewPCG(seed, 1)),
		claims: map[string]bool{},
	}
	c.intercept = func(what string, do func() error) error { return c.answerWrite(t, what, do) }
	for range 120 {
		c.step()
		there := c.stored()
		for name := range c.claims {
			if there[name] == nil {
				t.Errorf("%s was claimed and deleted", name)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%q", seed, c.history)
		}
	}
	c.intercept = nil
	c.clock.SetTime(c.clock.Now().Add(time.Minute))
	c.settle()
	if got, want := len(c.members()), replicas(c.pool()); got != want {
		t.Errorf("seed %d: after all %d members, not %d:\n%q", seed, got, want, c.history)
	}
}

func TestNeverAboveReplicasAndNoClaimedMemberIsDeleted(t *testing.T) {
	for seed := range soak.Rounds(t, 6, 100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { run(t, seed, testOptions) })
	}
	slow := testOptions
	slow.MaxBatch, slow.RefillRate = 2, 0.5
	for seed := range soak.Rounds(t, 4, 100) {
		t.Run(fmt.Sprintf("paced %d", seed), func(t *testing.T) { run(t, 1000+seed, slow) })
	}
}
