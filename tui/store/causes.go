// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

const (
	// causesInterval is how often causes are looked for that the operator's conditions do not tell.
	causesInterval = 10 * time.Second
	// causesTimeout is the maximum time for that.
	causesTimeout = 5 * time.Second
	// maxExplained is how many claims and Sandboxes are looked at, those that have existed for longest first.
	maxExplained = 50
)

// causes has what events, volumes and Pods tell, and no condition. The caller has to lock it.
type causes struct {
	read bool // also if there are none
	// rejections are the latest events about pools whose members the API server rejects, by the UID of the pool.
	rejections map[types.UID]*corev1.Event
	// obstacles are those of the members of pools, by their UID.
	obstacles         map[types.UID]pool.Obstacle
	claims, sandboxes map[key]rows.Cause
}

// open is what has no cause yet: the namespaces of pools that have too few members, and what is starting.
type open struct {
	pools   []string
	targets []*resolve.Target
}

// pollCauses looks for causes at intervals, until the scope ends. What may not be read is left out, without an error.
func (g *scope) pollCauses() {
	for {
		pause := causesInterval
		if !g.updateCauses() {
			pause = MinInterval // for the first time as soon as everything was read
		}
		rest := g.store.o.Clock.NewTimer(pause)
		select {
		case <-g.ctx.Done():
			rest.Stop()
			return
		case <-rest.C():
		}
	}
}

// updateCauses looks for causes once. It returns false if the objects were not read yet.
func (g *scope) updateCauses() bool {
	g.store.mu.Lock()
	if g.health().Loading() {
		g.store.mu.Unlock()
		return false
	}
	unexplained := g.state.unexplained(g.store.o.Clock.Now())
	g.store.mu.Unlock()
	found := g.findCauses(unexplained)
	g.store.mu.Lock()
	defer g.store.mu.Unlock()
	if g.ctx.Err() == nil {
		g.state.setCauses(found)
		g.store.signalChange()
	}
	return true
}

// unexplained returns what has no cause yet.
func (s *state) unexplained(now time.Time) open {
	s.rebuildRows(now)
	var all open
	members := map[types.UID]int32{}
	for k, row := range s.sandboxRows {
		o := s.sandboxes[k]
		owner := metav1.GetControllerOf(o)
		if owner != nil && owner.Kind == apis.KindSandboxWarmPool {
			members[owner.UID]++
		}
		claimed := owner != nil && owner.Kind == apis.KindSandboxClaim // the row of the claim shows the cause
		if row.Unexplained() && !claimed {
			all.targets = append(all.targets, &resolve.Target{Ref: row.Ref(), Namespace: k.Namespace, Sandbox: o.Sandbox})
		}
	}
	for k, row := range s.claimRows {
		if row.Unexplained() {
			all.targets = append(all.targets, &resolve.Target{
				Ref: row.Ref(), Namespace: k.Namespace, Claim: s.claims[k], Sandbox: s.heldBy(k),
			})
		}
	}
	for k, p := range s.pools {
		wanted := int32(1)
		if p.Spec.Replicas != nil {
			wanted = *p.Spec.Replicas
		}
		if members[p.UID] < wanted && !slices.Contains(all.pools, k.Namespace) {
			all.pools = append(all.pools, k.Namespace)
		}
	}
	slices.SortFunc(all.targets, func(a, b *resolve.Target) int { return created(a).Compare(created(b)) })
	all.targets = all.targets[:min(len(all.targets), maxExplained)]
	return all
}

func created(t *resolve.Target) time.Time {
	if t.Claim != nil {
		return t.Claim.CreationTimestamp.Time
	}
	return t.Sandbox.CreationTimestamp.Time
}

// heldBy returns the Sandbox of a claim, or nil.
func (s *state) heldBy(k key) *agentsv1beta1.Sandbox {
	claim := s.claims[k]
	held := s.sandboxes[key{Namespace: k.Namespace, Name: claim.Status.SandboxStatus.Name}].Sandbox
	if held == nil || !metav1.IsControlledBy(held, claim) {
		return nil
	}
	return held
}

// findCauses reads what surrounds the open objects.
func (g *scope) findCauses(o open) causes {
	found := causes{
		read: true, rejections: map[types.UID]*corev1.Event{}, obstacles: map[types.UID]pool.Obstacle{},
		claims: map[key]rows.Cause{}, sandboxes: map[key]rows.Cause{},
	}
	if len(o.pools)+len(o.targets) == 0 {
		return found
	}
	ctx, cancel := context.WithTimeout(g.ctx, causesTimeout)
	defer cancel()
	observer := observe.New(g.store.o.Sandboxes, g.store.o.Kubernetes, g.store.o.Clock)
	for _, namespace := range g.namespacesToRead() {
		within := func(other string) bool { return namespace == metav1.NamespaceAll || namespace == other }
		if slices.ContainsFunc(o.pools, within) {
			maps.Copy(found.rejections, observer.Rejections(ctx, namespace))
		}
		var targets []*resolve.Target
		for _, t := range o.targets {
			if within(t.Namespace) {
				targets = append(targets, t)
			}
		}
		for i, snapshot := range observer.Snapshots(ctx, namespace, targets) {
			found.add(targets[i], diagnose.Of(snapshot))
		}
	}
	return found
}

// add adds the cause of one claim or Sandbox, if it still is not ready.
func (c *causes) add(t *resolve.Target, d diagnose.Diagnosis) {
	if d.Verdict != diagnose.Starting && d.Verdict != diagnose.Blocked {
		return
	}
	if t.Claim != nil {
		c.claims[keyOf(t.Claim)] = rows.Cause{Of: t.Claim.UID, State: d.Verdict, Reason: d.Obstacle}
		return
	}
	c.sandboxes[keyOf(t.Sandbox)] = rows.Cause{Of: t.Sandbox.UID, State: d.Verdict, Reason: d.Obstacle}
	if obstacle, blocked := observe.MemberObstacle(t.Sandbox.Name, d); blocked {
		c.obstacles[t.Sandbox.UID] = obstacle
	}
}

// setCauses sets the causes, and has the rows that they change rebuilt.
func (s *state) setCauses(found causes) {
	for _, all := range []map[key]rows.Cause{s.causes.claims, found.claims} {
		for k := range all {
			if s.causes.claims[k] != found.claims[k] {
				s.dirtyClaims[k] = struct{}{}
			}
		}
	}
	for _, all := range []map[key]rows.Cause{s.causes.sandboxes, found.sandboxes} {
		for k := range all {
			if s.causes.sandboxes[k] != found.sandboxes[k] {
				s.dirtySandboxes[k] = struct{}{}
			}
		}
	}
	s.causes, s.changed = found, true
}
