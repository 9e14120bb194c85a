// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// owners counts the Sandboxes that each claim and each pool controls at the same time, as a watcher sees it.
type owners struct {
	mu   sync.Mutex
	of   map[types.UID]types.UID // Sandbox, owner
	held map[types.UID]map[types.UID]bool
	max  map[types.UID]int
	odd  []string // what must never be seen
}

func watchOwners(h *harness.T) *owners {
	h.Helper()
	o := &owners{of: map[types.UID]types.UID{}, held: map[types.UID]map[types.UID]bool{}, max: map[types.UID]int{}}
	h.Watch(&agentsv1beta1.SandboxList{}, o.see)
	return o
}

func (o *owners) see(event watch.EventType, s client.Object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.held[o.of[s.GetUID()]], s.GetUID())
	if event == watch.Deleted {
		return
	}
	var controllers []metav1.OwnerReference
	for _, ref := range s.GetOwnerReferences() {
		if ref.Controller != nil && *ref.Controller {
			controllers = append(controllers, ref)
		}
	}
	if len(controllers) != 1 {
		o.odd = append(o.odd, fmt.Sprintf("Sandbox %s has %d controllers", s.GetName(), len(controllers)))
		return
	}
	is, was := controllers[0], o.of[s.GetUID()]
	if was != "" && was != is.UID && is.Kind != apis.KindSandboxClaim {
		o.odd = append(o.odd, fmt.Sprintf("Sandbox %s went to %s %s", s.GetName(), is.Kind, is.Name))
	}
	o.of[s.GetUID()] = is.UID
	if o.held[is.UID] == nil {
		o.held[is.UID] = map[types.UID]bool{}
	}
	o.held[is.UID][s.GetUID()] = true
	o.max[is.UID] = max(o.max[is.UID], len(o.held[is.UID]))
}

// check fails the test where somebody held more than it may, claims one and pools as many as they ask for, or a Sandbox had an
// owner that it cannot have.
func (o *owners) check(h *harness.T, pools ...*extensionsv1beta1.SandboxWarmPool) {
	h.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	limits := map[types.UID]int{}
	for _, pool := range pools {
		limits[pool.UID] = int(*pool.Spec.Replicas)
		if o.max[pool.UID] == 0 {
			h.Errorf("the watch saw no member of pool %s: it shows nothing", pool.Name)
		}
	}
	for owner, most := range o.max {
		if limit := max(1, limits[owner]); most > limit {
			h.Errorf("at one time %d Sandboxes belonged to %s, which may have %d", most, owner, limit)
		}
	}
	for _, odd := range o.odd {
		h.Error(odd)
	}
}

// claimStories keeps what a watcher sees of each claim.
type claimStories struct {
	mu      sync.Mutex
	stories map[string][]extensionsv1beta1.SandboxClaim
	ended   map[string]string // name, the resource version of the deletion
}

func watchClaims(h *harness.T) *claimStories {
	h.Helper()
	c := &claimStories{stories: map[string][]extensionsv1beta1.SandboxClaim{}, ended: map[string]string{}}
	h.Watch(&extensionsv1beta1.SandboxClaimList{}, func(event watch.EventType, object client.Object) {
		claim, ok := object.(*extensionsv1beta1.SandboxClaim)
		if !ok {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if event == watch.Deleted {
			c.ended[claim.Name] = claim.ResourceVersion
			return
		}
		c.stories[claim.Name] = append(c.stories[claim.Name], *claim)
	})
	return c
}

// of is what was seen of one claim so far.
func (c *claimStories) of(name string) []extensionsv1beta1.SandboxClaim {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.stories[name])
}

// readiness is what Ready said in turn, each once until it changes: "False/DependenciesNotReady True/DependenciesReady".
func (c *claimStories) readiness(name string) string {
	var all []string
	for _, claim := range c.of(name) {
		if ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady); ready != nil {
			all = append(all, string(ready.Status)+"/"+ready.Reason)
		}
	}
	return strings.Join(slices.Compact(all), " ")
}

// check fails the test where a story breaks a rule: conditions come as Ready, Finished; Ready turns True at most once and is
// then not lost; addresses are there with it; the name of the Sandbox stays; the first ready time stays.
func (c *claimStories) check(h *harness.T) {
	h.Helper()
	c.mu.Lock()
	names := slices.Sorted(maps.Keys(c.stories))
	c.mu.Unlock()
	if len(names) == 0 {
		h.Error("the watch saw no claim: it shows nothing")
	}
	for _, name := range names {
		if problem := broken(c.of(name)); problem != "" {
			h.Errorf("claim %s: %s; Ready was %s", name, problem, c.readiness(name))
		}
	}
}

func broken(story []extensionsv1beta1.SandboxClaim) string {
	sandbox, was := "", false
	var first *metav1.MicroTime
	for _, claim := range story {
		kinds := ""
		for _, condition := range claim.Status.Conditions {
			kinds += condition.Type + " "
			if condition.LastTransitionTime.IsZero() || condition.Reason == "" || condition.ObservedGeneration > claim.Generation {
				return fmt.Sprintf("a condition is %+v at generation %d", condition, claim.Generation)
			}
		}
		ready := apis.ConditionTrue(claim.Status.Conditions, apis.ConditionReady)
		status := claim.Status.SandboxStatus
		switch {
		case kinds != "" && kinds != "Ready " && kinds != "Ready Finished ":
			return "conditions are " + kinds
		case was && !ready:
			return "Ready was lost"
		case ready && (status.Name == "" || len(status.PodIPs) == 0 || claim.Status.FirstReadyTime == nil):
			return fmt.Sprintf("it is ready with status %+v", claim.Status)
		case sandbox != "" && status.Name != sandbox:
			return fmt.Sprintf("its Sandbox went from %q to %q", sandbox, status.Name)
		case first != nil && !first.Equal(claim.Status.FirstReadyTime):
			return fmt.Sprintf("the first ready time went from %v to %v", first, claim.Status.FirstReadyTime)
		}
		sandbox, was, first = status.Name, ready, claim.Status.FirstReadyTime
	}
	return ""
}

// endsWith wants the last word about a claim's readiness.
func endsWith(stories *claimStories, name, want string) error {
	if got := stories.readiness(name); !strings.HasSuffix(got, want) {
		return fmt.Errorf("Ready was %s", got)
	}
	return nil
}

// oneEvent wants one event of the reason about an object.
func oneEvent(h *harness.T, kind, name, reason string) error {
	out := h.MustKubectl("get", "events", "-o", "name", "--field-selector",
		"involvedObject.kind="+kind+",involvedObject.name="+name+",reason="+reason)
	if n := len(strings.Fields(out)); n != 1 {
		return fmt.Errorf("there are %d events %s", n, reason)
	}
	return nil
}
