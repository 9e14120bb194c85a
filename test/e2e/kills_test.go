// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// underKills is how long an operator that is killed again and again may take.
const underKills = 5 * time.Minute

func TestKilledAtRandomMomentsTheOperatorLosesNothingAndDoublesNothing(t *testing.T) {
	h := harness.New(t)
	// Without a lease to wait for, the operator is killed in the midst of its work more often.
	leaderElection(h, false)
	defer leaderElection(h, true)
	stop := keepKilling(h)
	t.Run("histories", func(t *testing.T) { // ends when both have
		t.Run("of Sandboxes", func(t *testing.T) { t.Parallel(); sandboxesUnderKills(harness.New(t)) })
		t.Run("of claims", func(t *testing.T) { t.Parallel(); claimsUnderKills(harness.New(t)) })
	})
	kills := stop()
	t.Logf("the operator was killed %d times", kills)
	if kills < 3 {
		t.Errorf("the operator was killed %d times only: the test shows nothing", kills)
	}
}

// keepKilling kills the operator again and again, each time some moments after it got ready, until stop is called. That says
// how often it was.
func keepKilling(h *harness.T) (stop func() int) {
	seed := uint64(time.Now().UnixNano())
	h.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	enough, killed := make(chan struct{}), make(chan int, 1)
	pause := func(d time.Duration) (over bool) {
		select {
		case <-enough:
			return true
		case <-time.After(d):
			return false
		}
	}
	go func() {
		kills := 0
		defer func() { killed <- kills }()
		for !pause(50 * time.Millisecond) {
			if !operatorReady(h) {
				continue // it would die before it has done anything
			}
			if pause(time.Duration(random.IntN(3000)) * time.Millisecond) {
				return
			}
			if killOperator(h) {
				kills++
			}
		}
	}()
	return func() int { close(enough); return <-killed }
}

func sandboxesUnderKills(h *harness.T) {
	const count = 50
	h.Limit = underKills
	pods := watchPods(h)
	each := func(do func(name string)) {
		for i := range count {
			do(fmt.Sprintf("killed-%d", i))
		}
	}
	says := func(want string) func(string) {
		return func(name string) {
			h.Eventually(name+" "+want, func() error {
				var s agentsv1beta1.Sandbox
				h.Get(name, &s)
				if words := strings.Join(harness.Words(&s), " "); !strings.Contains(words, want) {
					return fmt.Errorf("conditions are %s", words)
				}
				return nil
			})
		}
	}
	scale := func(to int32) func(string) {
		return func(name string) { h.Edit(name, func(s *agentsv1beta1.Sandbox) { s.Spec.Replicas = &to }) }
	}
	each(func(name string) { h.Create(h.NewSandbox(name)) })
	each(says("Ready=True"))
	each(scale(0))
	each(says("Suspended=True"))
	each(scale(1))
	each(says("Ready=True"))
	h.MustKubectl("delete", "sandboxes", "--all", "--wait=false")
	each(func(name string) { h.Gone(name, &agentsv1beta1.Sandbox{}); h.Gone(name, &corev1.Pod{}) })
	if most := pods.most(); most != 1 {
		h.Errorf("at one time a Sandbox had %d Pods", most)
	}
}

// claimsUnderKills has claims come faster than the pool is refilled, so that some are adopted, some start cold, and operators die
// in the midst of either.
func claimsUnderKills(h *harness.T) {
	const rounds, at = 6, 6 // claims are made in so many rounds of so many
	h.Limit = underKills
	pool := h.NewPool("warm", "shell", 4)
	held, stories := watchOwners(h), watchClaims(h)
	h.Make(h.NewTemplate("shell"), pool)
	h.Full("warm")
	got := map[types.UID]string{}
	for round := range rounds {
		for i := range at {
			claim := h.NewClaim(fmt.Sprintf("killed-%d-%d", round, i), "shell")
			if i%2 == 0 {
				fromPool("warm")(claim)
			}
			h.Make(claim)
		}
		for i := range at {
			name := fmt.Sprintf("killed-%d-%d", round, i)
			s := h.Claimed(name)
			if other := got[s.UID]; other != "" {
				h.Errorf("%s and %s have the same Sandbox %s", name, other, s.Name)
			}
			got[s.UID] = name
		}
	}
	h.Full("warm")
	held.check(h, pool)
	stories.check(h)
	oneOwnerEachWay(h, pool, rounds*at)
	h.MustKubectl("delete", "sandboxclaims,sandboxwarmpools", "--all", "--wait=false")
	h.Eventually("nothing is left", func() error {
		if left := h.MustKubectl("get", "sandboxclaims,sandboxwarmpools,sandboxes,pods", "-o", "name"); left != "" {
			return fmt.Errorf("left are %s", left)
		}
		return nil
	})
}

// oneOwnerEachWay fails the test unless each claim controls one Sandbox, and a claim or the pool each Sandbox.
func oneOwnerEachWay(h *harness.T, pool *extensionsv1beta1.SandboxWarmPool, claims int) {
	h.Helper()
	var sandboxes agentsv1beta1.SandboxList
	var all extensionsv1beta1.SandboxClaimList
	for _, list := range []client.ObjectList{&sandboxes, &all} {
		if err := h.Client.List(h.Context(), list, client.InNamespace(h.Namespace)); err != nil {
			h.Fatal(err)
		}
	}
	owned := map[types.UID]int{}
	for _, s := range sandboxes.Items {
		if owner := metav1.GetControllerOf(&s); owner == nil {
			h.Errorf("Sandbox %s belongs to nobody", s.Name)
		} else {
			owned[owner.UID]++
		}
	}
	for _, claim := range all.Items {
		if n := owned[claim.UID]; n != 1 {
			h.Errorf("claim %s has %d Sandboxes", claim.Name, n)
		}
	}
	if want := claims + int(*pool.Spec.Replicas); len(all.Items) != claims || len(sandboxes.Items) != want {
		h.Errorf("there are %d claims and %d Sandboxes, want %d and %d", len(all.Items), len(sandboxes.Items), claims, want)
	}
}
