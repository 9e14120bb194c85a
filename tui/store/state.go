// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

type key = types.NamespacedName

func keyOf(o metav1.Object) key { return key{Namespace: o.GetNamespace(), Name: o.GetName()} }

// sandbox is a stripped Sandbox. Its blueprint is nil unless a pool owns it.
type sandbox struct {
	*agentsv1beta1.Sandbox
	blueprint *blueprint
}

// state has the stripped objects and their rows. The caller has to lock it.
type state struct {
	pools     map[key]*extensionsv1beta1.SandboxWarmPool
	claims    map[key]*extensionsv1beta1.SandboxClaim
	templates map[key]*extensionsv1beta1.SandboxTemplate
	sandboxes map[key]sandbox
	// pods are keyed by the UID of the Sandbox that controls them; podOwners maps each Pod to this UID.
	pods      map[types.UID]*corev1.Pod
	podOwners map[key]types.UID
	byUID     map[types.UID]key

	blueprints blueprints
	history    history
	usage      usages
	causes     causes

	claimRows, sandboxRows map[key]*rows.Row
	// The objects whose rows have to be rebuilt.
	dirtyClaims, dirtySandboxes map[key]struct{}
	changed                     bool
}

func newState() *state {
	return &state{
		pools: map[key]*extensionsv1beta1.SandboxWarmPool{}, claims: map[key]*extensionsv1beta1.SandboxClaim{},
		templates: map[key]*extensionsv1beta1.SandboxTemplate{}, sandboxes: map[key]sandbox{},
		pods: map[types.UID]*corev1.Pod{}, podOwners: map[key]types.UID{}, byUID: map[types.UID]key{},
		history:   newHistory(),
		claimRows: map[key]*rows.Row{}, sandboxRows: map[key]*rows.Row{},
		dirtyClaims: map[key]struct{}{}, dirtySandboxes: map[key]struct{}{},
	}
}

func (s *state) putPool(p *extensionsv1beta1.SandboxWarmPool) {
	stripMeta(&p.ObjectMeta)
	old := s.pools[keyOf(p)]
	s.pools[keyOf(p)], s.changed = p, true
	if old == nil || old.Spec.TemplateRef.Name != p.Spec.TemplateRef.Name {
		s.markMembersDirty(p.Namespace)
	}
}

// markMembersDirty has the rows of all pool members of a namespace rebuilt, which is rarely needed.
func (s *state) markMembersDirty(namespace string) {
	for k, member := range s.sandboxes {
		if member.blueprint != nil && k.Namespace == namespace {
			s.dirtySandboxes[k] = struct{}{}
		}
	}
}

func (s *state) putTemplate(t *extensionsv1beta1.SandboxTemplate) {
	stripMeta(&t.ObjectMeta)
	s.templates[keyOf(t)], s.changed = t, true
	s.markMembersDirty(t.Namespace)
}

func (s *state) putClaim(c *extensionsv1beta1.SandboxClaim) {
	stripClaim(c)
	s.claims[keyOf(c)], s.changed = c, true
	s.dirtyClaims[keyOf(c)] = struct{}{}
}

func (s *state) putSandbox(o *agentsv1beta1.Sandbox) {
	k := keyOf(o)
	if old, has := s.sandboxes[k]; has && old.UID != o.UID {
		delete(s.byUID, old.UID)
	}
	s.usage.outdated = s.usage.outdated || s.byUID[o.UID] != k
	blueprint := s.blueprints.strip(o)
	s.sandboxes[k] = sandbox{Sandbox: o, blueprint: blueprint}
	s.byUID[o.UID] = k
	s.markDirty(o)
}

// markDirty marks the rows that depend on a Sandbox.
func (s *state) markDirty(o *agentsv1beta1.Sandbox) {
	s.changed = true
	s.dirtySandboxes[keyOf(o)] = struct{}{}
	if owner := metav1.GetControllerOf(o); owner != nil && owner.Kind == apis.KindSandboxClaim {
		s.dirtyClaims[key{Namespace: o.Namespace, Name: owner.Name}] = struct{}{}
	}
}

func (s *state) putPod(p *corev1.Pod) {
	owner := metav1.GetControllerOf(p)
	if owner == nil || owner.Kind != apis.KindSandbox {
		return
	}
	stripPod(p)
	if p.DeletionTimestamp != nil && s.pods[owner.UID] != nil && s.pods[owner.UID].UID != p.UID {
		return // its successor exists already
	}
	s.usage.outdated = s.usage.outdated || s.podOwners[keyOf(p)] != owner.UID
	s.pods[owner.UID], s.podOwners[keyOf(p)] = p, owner.UID
	s.markDirtyByUID(owner.UID)
}

func (s *state) markDirtyByUID(uid types.UID) {
	if k, has := s.byUID[uid]; has {
		s.markDirty(s.sandboxes[k].Sandbox)
	}
}

func (s *state) dropPool(k key) {
	if old := s.pools[k]; old != nil {
		delete(s.blueprints.known, old.UID)
	}
	delete(s.pools, k)
	delete(s.history.claims, k)
	s.changed = true
}

func (s *state) dropTemplate(k key) { delete(s.templates, k); s.changed = true }

func (s *state) dropClaim(k key) {
	if c := s.claims[k]; c != nil {
		s.history.forgetClaim(c.UID)
	}
	delete(s.claims, k)
	s.dirtyClaims[k], s.changed = struct{}{}, true
}

func (s *state) dropSandbox(k key) {
	if old, has := s.sandboxes[k]; has {
		delete(s.byUID, old.UID)
		s.markDirty(old.Sandbox)
	}
	delete(s.sandboxes, k)
}

func (s *state) dropPod(k key) {
	uid, has := s.podOwners[k]
	if !has {
		return
	}
	delete(s.podOwners, k)
	if p := s.pods[uid]; p != nil && p.Name == k.Name {
		delete(s.pods, uid)
		s.markDirtyByUID(uid)
	}
}

// rebuildRows rebuilds the rows that are marked dirty.
func (s *state) rebuildRows(now time.Time) {
	for k := range s.dirtySandboxes {
		o, has := s.sandboxes[k]
		if !has {
			delete(s.sandboxRows, k)
			continue
		}
		row := rows.FromSandbox(o.Sandbox, s.pods[o.UID], s.stale(o), now)
		s.sandboxRows[k] = row.WithCause(s.causes.sandboxes[k])
	}
	for k := range s.dirtyClaims {
		claim, has := s.claims[k]
		if !has {
			delete(s.claimRows, k)
			continue
		}
		held := s.sandboxes[key{Namespace: k.Namespace, Name: claim.Status.SandboxStatus.Name}].Sandbox
		var pod *corev1.Pod
		if held != nil {
			pod = s.pods[held.UID]
		}
		s.claimRows[k] = rows.FromClaim(claim, held, pod, now).WithCause(s.causes.claims[k])
	}
	clear(s.dirtySandboxes)
	clear(s.dirtyClaims)
}

// markExpired marks the rows whose deadline has passed.
func (s *state) markExpired(now time.Time) {
	for k, row := range s.claimRows {
		if row.Outdated(now) {
			s.dirtyClaims[k], s.changed = struct{}{}, true
		}
	}
	for k, row := range s.sandboxRows {
		if row.Outdated(now) {
			s.dirtySandboxes[k], s.changed = struct{}{}, true
		}
	}
}

// stale reports whether a member of a pool was created from an earlier version of its template.
func (s *state) stale(o sandbox) bool {
	if o.blueprint == nil {
		return false
	}
	pool := s.pools[key{Namespace: o.Namespace, Name: metav1.GetControllerOf(o).Name}]
	if pool == nil {
		return false
	}
	template := s.templates[key{Namespace: o.Namespace, Name: pool.Spec.TemplateRef.Name}]
	return template != nil && o.blueprint.isStale(template, o.Sandbox)
}
