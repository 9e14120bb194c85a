// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// rollout is a world with a pool of strategy Recreate, whose template changes. Time passes with each action.
type rollout struct {
	*world

	pool    *extensionsv1beta1.SandboxWarmPool
	reads   map[string]int // of the API server
	members int
	claims  int
}

func newRollout(t *testing.T, objects ...client.Object) *rollout {
	pool := newPool("p", builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType))
	r := &rollout{world: newWorld(t, append(objects, pool)...), pool: pool, reads: map[string]int{}}
	r.beforeRead = func(read string) { r.reads[read]++ }
	return r
}

func (r *rollout) pass() { r.clock.SetTime(r.clock.Now().Add(time.Millisecond)) }

// arrive creates a claim and shows it to the watch.
func (r *rollout) arrive(with ...builders.ClaimOption) string {
	r.t.Helper()
	r.pass()
	r.claims++
	name := fmt.Sprintf("claim-%d", r.claims)
	r.create(newClaim(name, with...))
	r.reconciler.claimArrived(r.claim(name))
	return name
}

func (r *rollout) serve(name string) {
	r.t.Helper()
	r.pass()
	if _, err := r.reconcile(name); err != nil {
		r.t.Fatalf("reconcile %s: %v", name, err)
	}
}

func image(version int) string { return fmt.Sprintf("localhost/python:v%d", version) }

func (r *rollout) template() *extensionsv1beta1.SandboxTemplate {
	r.t.Helper()
	template := &extensionsv1beta1.SandboxTemplate{}
	if err := r.store.Get(context.Background(), keyOf("python"), template); err != nil {
		r.t.Fatal(err)
	}
	return template
}

// changeTemplate changes the template on the API server. The cache shows the change unless it lags.
func (r *rollout) changeTemplate(version int, lags bool) {
	r.t.Helper()
	r.pass()
	template := r.template()
	if _, lagged := r.staleObjects["python"]; lags && !lagged {
		r.staleObjects["python"] = template.DeepCopy()
	}
	template.Spec.PodTemplate.Spec.Containers[0].Image = image(version)
	if err := r.store.Update(context.Background(), template); err != nil {
		r.t.Fatal(err)
	}
}

// addMembers creates members of the template as it is.
func (r *rollout) addMembers(count int) {
	r.t.Helper()
	template := r.template()
	for range count {
		r.members++
		r.create(newMemberFrom(fmt.Sprintf("member-%d", r.members), r.pool, template))
	}
	r.syncQueue()
}

// imageOf returns the image of the claim's only Sandbox.
func (r *rollout) imageOf(claim string) string {
	r.t.Helper()
	owned := r.ownedBy(claim + "-uid")
	if len(owned) != 1 {
		r.t.Fatalf("claim %s owns %v", claim, owned)
	}
	return r.sandbox(owned[0]).Spec.PodTemplate.Spec.Containers[0].Image
}

func (r *rollout) expectReads(what string, want int) {
	r.t.Helper()
	if got := r.reads[what]; got != want {
		r.t.Errorf("%q: %d reads, want %d", what, got, want)
	}
}

// The template changes four times while claims arrive, and no change reaches the cache.
func TestABurstUnderRecreateSharesItsReadsAndGetsNothingStale(t *testing.T) {
	for name, with := range map[string][]builders.ClaimOption{
		"by template": nil, "by pool": {builders.FromPool("p")},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRollout(t, newTemplate(builders.WithImage(image(0))))
			var late []string // claims of earlier versions that are served last
			wanted := map[string]string{}
			for version := range 5 {
				if version > 0 {
					r.changeTemplate(version, true)
				}
				r.addMembers(2)
				var arrived []string
				for range 5 {
					claim := r.arrive(with...)
					arrived, wanted[claim] = append(arrived, claim), image(version)
				}
				for _, claim := range arrived[:4] {
					r.serve(claim)
				}
				late = append(late, arrived[4:]...)
			}
			for claim, want := range wanted {
				if len(r.ownedBy(claim+"-uid")) > 0 && r.imageOf(claim) != want {
					t.Errorf("%s got %s, and %s was current when it arrived", claim, r.imageOf(claim), want)
				}
			}
			r.expectReads("get SandboxTemplate python", 5)
			for _, claim := range late {
				if r.serve(claim); r.imageOf(claim) != image(4) {
					t.Errorf("%s got %s, and %s is current", claim, r.imageOf(claim), image(4))
				}
			}
			r.expectReads("get SandboxTemplate python", 5)
			if pools := r.reads["get SandboxWarmPool p"]; with != nil && pools != 5 {
				t.Errorf("%d reads of the pool", pools)
			}
		})
	}
}

func TestAnAnswerThatIsOlderThanTheCacheIsNotUsed(t *testing.T) {
	t.Run("the template changed", func(t *testing.T) {
		r := newRollout(t, newTemplate(builders.WithImage(image(0))))
		first, second := r.arrive(), r.arrive()
		r.serve(first)
		r.changeTemplate(1, false)
		if r.serve(second); r.imageOf(first) != image(0) || r.imageOf(second) != image(1) {
			t.Errorf("the claims got %s and %s", r.imageOf(first), r.imageOf(second))
		}
		r.expectReads("get SandboxTemplate python", 1)
	})
	t.Run("the template was created", func(t *testing.T) {
		r := newRollout(t)
		first, second := r.arrive(), r.arrive()
		if r.serve(first); conditionOf(r.claim(first)) != string(apis.ReasonTemplateNotFound) {
			t.Errorf("the first claim is %s", conditionOf(r.claim(first)))
		}
		r.create(newTemplate(builders.WithImage(image(1))))
		if r.serve(second); r.imageOf(second) != image(1) {
			t.Errorf("the second claim got %s", r.imageOf(second))
		}
		r.expectReads("get SandboxTemplate python", 2)
	})
	t.Run("the template is gone, and the cache still has it", func(t *testing.T) {
		r := newRollout(t)
		r.staleObjects["python"] = newTemplate()
		claim := r.arrive()
		if r.serve(claim); conditionOf(r.claim(claim)) != string(apis.ReasonTemplateNotFound) {
			t.Errorf("the claim is %s", conditionOf(r.claim(claim)))
		}
	})
}

// Only its event says how recent an answer a reconcile needs, and each event causes one reconcile.
func TestAReconcileWithoutAnArrivalReadsForItself(t *testing.T) {
	r := newRollout(t) // without the template, so that the claims stay without Sandboxes
	first, second := r.arrive(), r.arrive()
	r.serve(first)
	r.serve(second)
	r.expectReads("get SandboxTemplate python", 1)
	r.serve(second)
	r.serve(first)
	r.expectReads("get SandboxTemplate python", 3)
	r.reconciler.claimArrived(r.claim(first)) // its spec changed
	r.serve(first)
	r.expectReads("get SandboxTemplate python", 4)
}

func conditionOf(claim *extensionsv1beta1.SandboxClaim) string {
	if ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady); ready != nil {
		return ready.Reason
	}
	return "unknown"
}
