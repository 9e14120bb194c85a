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

// killTimeout is how long each step may take while the operator is killed repeatedly.
const killTimeout = 5 * time.Minute

func TestKilledAtRandomMomentsTheOperatorLosesNothingAndDoublesNothing(t *testing.T) {
	h := harness.New(t)
	// Without leader election the operator starts at once, so that more kills interrupt its work.
	leaderElection(h, false)
	defer leaderElection(h, true)
	stop := keepKilling(h)
	t.Run("histories", func(t *testing.T) { // returns when both have ended
		t.Run("of Sandboxes", func(t *testing.T) { t.Parallel(); sandboxesUnderKills(harness.New(t)) })
		t.Run("of claims", func(t *testing.T) { t.Parallel(); claimsUnderKills(harness.New(t)) })
	})
	kills := stop()
	t.Logf("the operator was killed %d times", kills)
	if kills < 3 {
		t.Errorf("the operator was killed only %d times: the test proves nothing", kills)
	}
}

// keepKilling kills the operator repeatedly, each time within three seconds after it became ready, until stop is
// called. stop returns the number of kills.
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
				continue // do not kill it before it has done anything
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
	h.Timeout = killTimeout
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
				if words := strings.Join(harness.FormatConditions(&s), " "); !strings.Contains(words, want) {
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
		h.Errorf("a Sandbox had %d Pods at the same time", most)
	}
}

// claimsUnderKills creates claims faster than the pool is refilled, so that the operator is killed during adoptions and
// during cold starts.
func claimsUnderKills(h *harness.T) {
	const rounds, at = 6, 6 // the number of rounds, and of claims in each round
	h.Timeout = killTimeout
	pool := h.NewPool("warm", "shell", 4)
	owners, history := watchOwners(h), watchClaims(h)
	h.CreateAll(h.NewTemplate("shell"), pool)
	h.FullPool("warm")
	got := map[types.UID]string{}
	for round := range rounds {
		for i := range at {
			claim := h.NewClaim(fmt.Sprintf("killed-%d-%d", round, i), "shell")
			if i%2 == 0 {
				byPool("warm")(claim)
			}
			h.CreateAll(claim)
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
	h.FullPool("warm")
	owners.check(h, pool)
	history.check(h)
	checkOneOwnerEach(h, pool, rounds*at)
	h.MustKubectl("delete", "sandboxclaims,sandboxwarmpools", "--all", "--wait=false")
	h.Eventually("nothing is left", func() error {
		if left := h.MustKubectl("get", "sandboxclaims,sandboxwarmpools,sandboxes,pods", "-o", "name"); left != "" {
			return fmt.Errorf("left are %s", left)
		}
		return nil
	})
}

// checkOneOwnerEach fails the test unless each claim controls one Sandbox, and each Sandbox has a claim or the pool as
// its controller.
func checkOneOwnerEach(h *harness.T, pool *extensionsv1beta1.SandboxWarmPool, claims int) {
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
			h.Errorf("Sandbox %s has no controller", s.Name)
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
