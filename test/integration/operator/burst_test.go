// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// memberHistory records what a watch shows of the members of a pool. It is safe for concurrent use.
type memberHistory struct {
	mu         sync.Mutex
	pool       string
	members    map[types.UID]bool
	maxMembers int      // the largest number of members at the same time
	lost       []string // members that were deleted before a claim adopted them
}

// watchMembers watches the members of a pool until the test ends.
func (w *world) watchMembers(pool string) *memberHistory {
	w.Helper()
	watcher, err := w.client.Watch(w.Context(), &agentsv1beta1.SandboxList{}, client.InNamespace(w.namespace))
	if err != nil {
		w.Fatal(err)
	}
	h := &memberHistory{pool: pool, members: map[types.UID]bool{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range watcher.ResultChan() {
			h.handle(event)
		}
	}()
	w.Cleanup(func() { watcher.Stop(); <-done })
	return h
}

func (h *memberHistory) handle(event watch.Event) {
	s, ok := event.Object.(*agentsv1beta1.Sandbox)
	if !ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	ref := metav1.GetControllerOf(s)
	member := ref != nil && ref.Kind == apis.KindSandboxWarmPool && ref.Name == h.pool
	switch {
	case member && event.Type == watch.Deleted:
		h.lost = append(h.lost, s.Name)
		delete(h.members, s.UID)
	case member:
		h.members[s.UID] = true
	default:
		delete(h.members, s.UID)
	}
	h.maxMembers = max(h.maxMembers, len(h.members))
}

// result returns the largest number of members at the same time, and the lost members.
func (h *memberHistory) result() (most int, lost []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.maxMembers, slices.Clone(h.lost)
}

// createClaims creates claims, 16 in parallel.
func (w *world) createClaims(count int, claim func(i int) client.Object) {
	w.Helper()
	const atATime = 16
	errs := make([]error, atATime)
	var all sync.WaitGroup
	for worker := range atATime {
		all.Go(func() {
			for i := worker; i < count; i += atATime {
				o := claim(i)
				o.SetNamespace(w.namespace)
				errs[worker] = errors.Join(errs[worker], w.client.Create(w.Context(), o))
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		w.Fatal(err)
	}
}

// waitForClaims waits until all claims of the namespace are Ready, and returns the names of their Sandboxes. Meanwhile
// it makes Pods ready in place of a kubelet.
func (w *world) waitForClaims(count int) map[string]bool {
	w.Helper()
	has := map[string]bool{}
	w.eventually(fmt.Sprintf("%d claims are Ready", count), func() error {
		w.markPodsReady()
		var list extensionsv1beta1.SandboxClaimList
		if err := w.client.List(w.Context(), &list, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		clear(has)
		for _, c := range list.Items {
			if apis.ConditionTrue(c.Status.Conditions, apis.ConditionReady) {
				has[c.Status.SandboxStatus.Name] = true
			}
		}
		if len(has) != count {
			return fmt.Errorf("%d of %d", len(has), count)
		}
		return nil
	})
	return has
}

func TestABurstOfFiveHundredClaimsOnAPoolOfThreeHundred(t *testing.T) {
	const size, claims = 300, 500
	w := start(t, server, extensions)
	w.large = true
	w.create(builders.Template("python"))
	h := w.watchMembers("warm")
	w.create(builders.Pool("warm", "python", builders.WithReplicas(size)))
	warm := w.waitForPool("warm", size)
	w.createClaims(claims, func(i int) client.Object { return builders.Claim(fmt.Sprintf("c%d", i), "python") })
	has := w.waitForClaims(claims)
	for _, name := range warm {
		if !has[name] {
			t.Errorf("member %s was ready and no claim has it", name)
		}
	}
	w.waitForPool("warm", size)
	if most, lost := h.result(); most != size || len(lost) > 0 {
		t.Errorf("up to %d members at the same time, lost are %v", most, lost)
	}
	w.checkOwnership()
	w.checkLoggedErrors(0)
}

// TestRolloutsWhileClaimsArrive changes templates while claims arrive. A claim that is newer than a change must not get
// an older member from a pool with Recreate, and a pool with OnReplenish must not lose a member to the change.
func TestRolloutsWhileClaimsArrive(t *testing.T) {
	const size, rounds, each = 6, 8, 4
	w := start(t, server, extensions)
	w.create(builders.Template("eager"))
	w.create(builders.Template("lazy"))
	eager, lazy := w.watchMembers("eager"), w.watchMembers("lazy")
	w.create(builders.Pool("eager", "eager", builders.WithReplicas(size),
		builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)))
	w.create(builders.Pool("lazy", "lazy", builders.WithReplicas(size)))
	w.waitForPool("eager", size)
	w.waitForPool("lazy", size)
	image := func(round int) string { return fmt.Sprintf("localhost/python:v%02d", round) }
	for round := range rounds {
		for _, template := range []string{"eager", "lazy"} {
			w.editTemplate(template, func(s *extensionsv1beta1.SandboxTemplateSpec) {
				s.PodTemplate.Spec.Containers[0].Image = image(round)
			})
			w.createClaims(each, func(i int) client.Object {
				name := fmt.Sprintf("%s-%02d-%d", template, round, i)
				if i%2 == 0 {
					return builders.Claim(name, "", builders.FromPool(template))
				}
				return builders.Claim(name, template)
			})
		}
		w.markPodsReady()
		if round%2 == 0 { // every other round begins with a full pool
			w.waitForPool("eager", size)
		}
	}
	w.waitForClaims(2 * rounds * each)
	for round := range rounds {
		for i := range each {
			claim := w.waitForClaim(fmt.Sprintf("eager-%02d-%d", round, i), apis.ReasonDependenciesReady)
			var s agentsv1beta1.Sandbox
			if err := w.get(claim.Status.SandboxStatus.Name, &s); err != nil {
				t.Fatal(err)
			}
			if got := s.Spec.PodTemplate.Spec.Containers[0].Image; got < image(round) {
				t.Errorf("claim %s, which is newer than %s, has %s", claim.Name, image(round), got)
			}
		}
	}
	w.waitForReplacement("eager", nil, size)
	w.waitForPool("lazy", size)
	if most, lost := lazy.result(); most != size || len(lost) > 0 {
		t.Errorf("lazy: up to %d members at the same time, lost are %v", most, lost)
	}
	if most, _ := eager.result(); most != size {
		t.Errorf("eager: up to %d members at the same time", most)
	}
	w.checkOwnership()
	w.checkLoggedErrors(0)
}
