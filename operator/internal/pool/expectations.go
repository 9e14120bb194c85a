// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// expectations are the writes of this process that the cache does not show yet, as kube-controller-manager's controller
// expectations. They are keyed by the pool's UID: a recreated pool starts with none. Safe for concurrent use: one
// worker reconciles a pool at a time, and the watch calls CreationObserved at any time.
type expectations struct {
	mu    sync.Mutex
	pools map[types.UID]*poolExpectations
	// creations maps the name of an expected Sandbox to the pool that expects it.
	creations map[types.NamespacedName]types.UID
}

type poolExpectations struct {
	pendingWrites

	name types.NamespacedName
}

// pendingWrites are the writes of one pool that the cache does not show yet.
type pendingWrites struct {
	creations map[string]pendingCreation // created or adopted Sandboxes, by name
	deletions map[types.UID]time.Time    // deleted members, and when they were deleted
}

// pendingCreation is a Sandbox that a pool created or adopted.
type pendingCreation struct {
	since     time.Time
	confirmed bool // the API server confirmed the write
}

func newExpectations() *expectations {
	return &expectations{pools: map[types.UID]*poolExpectations{}, creations: map[types.NamespacedName]types.UID{}}
}

// GetExpectations returns a copy of the pool's pending writes. Call it before the cache is read: a Sandbox that arrives
// in between is then in both, and is counted once.
func (e *expectations) GetExpectations(pool *extensionsv1beta1.SandboxWarmPool) pendingWrites {
	e.mu.Lock()
	defer e.mu.Unlock()
	name := types.NamespacedName{Namespace: pool.Namespace, Name: pool.Name}
	e.deleteExcept(name, pool.UID)
	p := e.pools[pool.UID]
	if p == nil {
		p = &poolExpectations{
			name:          name,
			pendingWrites: pendingWrites{creations: map[string]pendingCreation{}, deletions: map[types.UID]time.Time{}},
		}
		e.pools[pool.UID] = p
	}
	return pendingWrites{creations: maps.Clone(p.creations), deletions: maps.Clone(p.deletions)}
}

// MembersObserved drops what the cache shows: created Sandboxes among the members, and deleted ones that no longer are.
func (e *expectations) MembersObserved(pool types.UID, members []*agentsv1beta1.Sandbox) {
	e.with(pool, func(p *poolExpectations) {
		cached := make(map[types.UID]bool, len(members))
		for _, member := range members {
			cached[member.UID] = true
			e.dropCreation(p, member.Name)
		}
		maps.DeleteFunc(p.deletions, func(uid types.UID, _ time.Time) bool { return !cached[uid] })
	})
}

// ExpectCreation records a Sandbox before it is created or adopted.
func (e *expectations) ExpectCreation(pool types.UID, name string, now time.Time) {
	e.with(pool, func(p *poolExpectations) {
		p.creations[name] = pendingCreation{since: now}
		e.creations[types.NamespacedName{Namespace: p.name.Namespace, Name: name}] = pool
	})
}

// CreationConfirmed records that the API server has the Sandbox. It does nothing if the cache already showed the
// Sandbox.
func (e *expectations) CreationConfirmed(pool types.UID, name string, now time.Time) {
	e.with(pool, func(p *poolExpectations) {
		if _, expected := p.creations[name]; expected {
			p.creations[name] = pendingCreation{since: now, confirmed: true}
		}
	})
}

// CreationFailed drops a Sandbox that was neither created nor adopted.
func (e *expectations) CreationFailed(pool types.UID, name string) {
	e.with(pool, func(p *poolExpectations) { e.dropCreation(p, name) })
}

// CreationObserved drops a Sandbox that the watch shows with a controller.
func (e *expectations) CreationObserved(name types.NamespacedName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.pools[e.creations[name]]; p != nil {
		e.dropCreation(p, name.Name)
	}
}

// ExpectDeletion records a member before it is deleted.
func (e *expectations) ExpectDeletion(pool, member types.UID, now time.Time) {
	e.with(pool, func(p *poolExpectations) { p.deletions[member] = now })
}

// DeletionFailed drops a member that was not deleted.
func (e *expectations) DeletionFailed(pool, member types.UID) {
	e.with(pool, func(p *poolExpectations) { delete(p.deletions, member) })
}

// DeleteExpectations drops everything about a deleted pool.
func (e *expectations) DeleteExpectations(name types.NamespacedName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deleteExcept(name, "")
}

// deleteExcept drops all pools with the name but the one with the UID.
func (e *expectations) deleteExcept(name types.NamespacedName, except types.UID) {
	for uid, p := range e.pools {
		if p.name != name || uid == except {
			continue
		}
		for sandbox := range p.creations {
			e.dropCreation(p, sandbox)
		}
		delete(e.pools, uid)
	}
}

func (e *expectations) dropCreation(p *poolExpectations, sandbox string) {
	delete(p.creations, sandbox)
	delete(e.creations, types.NamespacedName{Namespace: p.name.Namespace, Name: sandbox})
}

// with calls do under the lock if the pool is known.
func (e *expectations) with(pool types.UID, do func(*poolExpectations)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.pools[pool]; p != nil {
		do(p)
	}
}
