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

// ownerWatch counts the Sandboxes that each claim and each pool controls at the same time, as a watch shows it.
type ownerWatch struct {
	mu         sync.Mutex
	of         map[types.UID]types.UID // Sandbox to owner
	held       map[types.UID]map[types.UID]bool
	max        map[types.UID]int
	violations []string // what must never happen
}

func watchOwners(h *harness.T) *ownerWatch {
	h.Helper()
	o := &ownerWatch{of: map[types.UID]types.UID{}, held: map[types.UID]map[types.UID]bool{}, max: map[types.UID]int{}}
	h.Watch(&agentsv1beta1.SandboxList{}, o.handle)
	return o
}

func (o *ownerWatch) handle(event watch.EventType, s client.Object) {
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
		o.violations = append(o.violations, fmt.Sprintf("Sandbox %s has %d controllers", s.GetName(), len(controllers)))
		return
	}
	is, was := controllers[0], o.of[s.GetUID()]
	if was != "" && was != is.UID && is.Kind != apis.KindSandboxClaim {
		o.violations = append(o.violations, fmt.Sprintf("Sandbox %s went to %s %s", s.GetName(), is.Kind, is.Name))
	}
	o.of[s.GetUID()] = is.UID
	if o.held[is.UID] == nil {
		o.held[is.UID] = map[types.UID]bool{}
	}
	o.held[is.UID][s.GetUID()] = true
	o.max[is.UID] = max(o.max[is.UID], len(o.held[is.UID]))
}

// check fails the test if a claim controlled more than one Sandbox, a pool more than its replicas, or if a Sandbox had
// an owner that it must not have.
func (o *ownerWatch) check(h *harness.T, pools ...*extensionsv1beta1.SandboxWarmPool) {
	h.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	limits := map[types.UID]int{}
	for _, pool := range pools {
		limits[pool.UID] = int(*pool.Spec.Replicas)
		if o.max[pool.UID] == 0 {
			h.Errorf("the watch saw no member of pool %s: the check proves nothing", pool.Name)
		}
	}
	for owner, most := range o.max {
		if limit := max(1, limits[owner]); most > limit {
			h.Errorf("%s controlled %d Sandboxes at the same time, and may control %d", owner, most, limit)
		}
	}
	for _, odd := range o.violations {
		h.Error(odd)
	}
}

// claimHistory keeps the versions of each claim that a watch shows.
type claimHistory struct {
	mu       sync.Mutex
	versions map[string][]extensionsv1beta1.SandboxClaim
	ended    map[string]string // name to the resource version of the deletion
}

func watchClaims(h *harness.T) *claimHistory {
	h.Helper()
	c := &claimHistory{versions: map[string][]extensionsv1beta1.SandboxClaim{}, ended: map[string]string{}}
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
		c.versions[claim.Name] = append(c.versions[claim.Name], *claim)
	})
	return c
}

// versionsOf returns the versions of one claim that the watch has shown so far.
func (c *claimHistory) versionsOf(name string) []extensionsv1beta1.SandboxClaim {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.versions[name])
}

// readiness returns the successive values of Ready without repetitions, such as
// "False/DependenciesNotReady True/DependenciesReady".
func (c *claimHistory) readiness(name string) string {
	var all []string
	for _, claim := range c.versionsOf(name) {
		if ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady); ready != nil {
			all = append(all, string(ready.Status)+"/"+ready.Reason)
		}
	}
	return strings.Join(slices.Compact(all), " ")
}

// check fails the test if the versions of a claim break a rule: the conditions are Ready and Finished, in this order;
// Ready becomes True at most once and stays True; a ready claim has addresses; the Sandbox's name and the first ready
// time do not change.
func (c *claimHistory) check(h *harness.T) {
	h.Helper()
	c.mu.Lock()
	names := slices.Sorted(maps.Keys(c.versions))
	c.mu.Unlock()
	if len(names) == 0 {
		h.Error("the watch saw no claim: the check proves nothing")
	}
	for _, name := range names {
		if problem := checkHistory(c.versionsOf(name)); problem != "" {
			h.Errorf("claim %s: %s; Ready was %s", name, problem, c.readiness(name))
		}
	}
}

func checkHistory(story []extensionsv1beta1.SandboxClaim) string {
	sandbox, was := "", false
	var first *metav1.MicroTime
	for _, claim := range story {
		kinds := ""
		for _, condition := range claim.Status.Conditions {
			kinds += condition.Type + " "
			if condition.LastTransitionTime.IsZero() || condition.Reason == "" ||
				condition.ObservedGeneration > claim.Generation {
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

// checkLastReadiness returns an error unless the last value of a claim's Ready is the wanted one.
func checkLastReadiness(history *claimHistory, name, want string) error {
	if got := history.readiness(name); !strings.HasSuffix(got, want) {
		return fmt.Errorf("Ready was %s", got)
	}
	return nil
}

// checkOneEvent returns an error unless there is exactly one event with the reason about the object.
func checkOneEvent(h *harness.T, kind, name, reason string) error {
	out := h.MustKubectl("get", "events", "-o", "name", "--field-selector",
		"involvedObject.kind="+kind+",involvedObject.name="+name+",reason="+reason)
	if n := len(strings.Fields(out)); n != 1 {
		return fmt.Errorf("there are %d events %s", n, reason)
	}
	return nil
}
