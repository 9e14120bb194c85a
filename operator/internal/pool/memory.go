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

// expectations is what this process did to pools and no cache shows yet, and since when something waits. It is keyed by the pool's
// UID: a pool made anew under an old name begins with nothing. Safe for concurrent use; the passes of one pool follow each
// other, the watch speaks at any time.
type expectations struct {
	mu    sync.Mutex
	pools map[types.UID]*poolState
	// joining finds the pool that waits to see a Sandbox.
	creations map[types.NamespacedName]types.UID
}

// poolState is what is remembered of one pool.
type poolState struct {
	pendingWrites

	name               types.NamespacedName
	bucket             tokenBucket
	statusPendingSince time.Time // since when the status differs from what was written; zero while it does not
	missingTemplate    string    // the template that a warning said is missing
	membersListed      bool      // the API server was asked which members there are

	contents  map[types.UID]content // what its Sandboxes are made of
	revisions map[string]bool       // revisions that this process could have made: the cache may not show the status that records them yet
}

// pendingWrites is what is on its way between the API server and the cache.
type pendingWrites struct {
	creations map[string]pendingCreation // Sandboxes that were created or adopted, by name
	deletions map[types.UID]time.Time    // members that were deleted, and when
	adoptions recentAdoptions
}

// pendingCreation is a Sandbox on its way into a pool.
type pendingCreation struct {
	since     time.Time
	confirmed bool // the API server said so
}

// recentAdoptions is when claims took members that were not replaced yet; zero while there are none.
type recentAdoptions struct{ first, last time.Time }

func newExpectations() *expectations {
	return &expectations{pools: map[types.UID]*poolState{}, creations: map[types.NamespacedName]types.UID{}}
}

// GetExpectations begins a pass: it returns what is in flight, as of before the cache is read. What the cache shows later only adds to
// it: a Sandbox that arrives in between is in both, and counts once.
func (m *expectations) GetExpectations(pool *extensionsv1beta1.SandboxWarmPool, now time.Time, rate float64) (pendingWrites, tokenBucket) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := types.NamespacedName{Namespace: pool.Namespace, Name: pool.Name}
	m.forget(name, pool.UID)
	r := m.pools[pool.UID]
	if r == nil {
		r = &poolState{name: name, revisions: map[string]bool{}, pendingWrites: pendingWrites{creations: map[string]pendingCreation{}, deletions: map[types.UID]time.Time{}}, bucket: newTokenBucket(rate, now)}
		m.pools[pool.UID] = r
	}
	r.bucket = r.bucket.refilled(rate, now)
	return pendingWrites{creations: maps.Clone(r.creations), deletions: maps.Clone(r.deletions), adoptions: r.adoptions}, r.bucket
}

// MembersObserved forgets what the cache has shown: Sandboxes that arrived, and members that are gone.
func (m *expectations) MembersObserved(pool types.UID, members []*agentsv1beta1.Sandbox) {
	m.with(pool, func(r *poolState) {
		there := make(map[types.UID]bool, len(members))
		for _, member := range members {
			there[member.UID] = true
			m.drop(r, member.Name)
		}
		maps.DeleteFunc(r.deletions, func(uid types.UID, _ time.Time) bool { return !there[uid] })
	})
}

// ExpectCreation notes a Sandbox before it is created or adopted.
func (m *expectations) ExpectCreation(pool types.UID, name string, now time.Time) {
	m.with(pool, func(r *poolState) {
		r.creations[name] = pendingCreation{since: now}
		m.creations[types.NamespacedName{Namespace: r.name.Namespace, Name: name}] = pool
	})
}

// CreationConfirmed says that the API server has the Sandbox. If the cache has shown it meanwhile there is nothing to remember.
func (m *expectations) CreationConfirmed(pool types.UID, name string, now time.Time) {
	m.with(pool, func(r *poolState) {
		if _, waiting := r.creations[name]; waiting {
			r.creations[name] = pendingCreation{since: now, confirmed: true}
		}
	})
}

// CreationFailed says that the Sandbox did not come.
func (m *expectations) CreationFailed(pool types.UID, name string) {
	m.with(pool, func(r *poolState) { m.drop(r, name) })
}

// CreationObserved says that the watch has shown a Sandbox that somebody controls.
func (m *expectations) CreationObserved(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.pools[m.creations[name]]; r != nil {
		m.drop(r, name.Name)
	}
}

// ExpectDeletion notes a member before it is deleted.
func (m *expectations) ExpectDeletion(pool, member types.UID, now time.Time) {
	m.with(pool, func(r *poolState) { r.deletions[member] = now })
}

// DeletionFailed says that the member was not deleted.
func (m *expectations) DeletionFailed(pool, member types.UID) {
	m.with(pool, func(r *poolState) { delete(r.deletions, member) })
}

// RecordAdoption notes that a claim took a member.
func (m *expectations) RecordAdoption(pool types.UID, now time.Time) {
	m.with(pool, func(r *poolState) {
		if r.adoptions.first.IsZero() {
			r.adoptions.first = now
		}
		r.adoptions.last = now
	})
}

// RecordRefill says that what was taken up to then is replaced, and what that cost.
func (m *expectations) RecordRefill(pool types.UID, until recentAdoptions, created int) {
	m.with(pool, func(r *poolState) {
		if r.adoptions == until {
			r.adoptions = recentAdoptions{}
		}
		r.bucket = r.bucket.withdraw(created)
	})
}

// StatusPendingSince is since when the status differs from what was written: now, if this is the first time.
func (m *expectations) StatusPendingSince(pool types.UID, now time.Time) (since time.Time) {
	since = now
	m.with(pool, func(r *poolState) {
		if r.statusPendingSince.IsZero() {
			r.statusPendingSince = now
		}
		since = r.statusPendingSince
	})
	return since
}

// StatusWritten says that the status is as written.
func (m *expectations) StatusWritten(pool types.UID) {
	m.with(pool, func(r *poolState) { r.statusPendingSince = time.Time{} })
}

// TemplateMissing notes the template that is missing (empty: none is) and says whether that is news.
func (m *expectations) TemplateMissing(pool types.UID, template string) (news bool) {
	m.with(pool, func(r *poolState) { news, r.missingTemplate = r.missingTemplate != template, template })
	return news
}

// MembersListed says whether the API server was asked which members the pool has. It is true of a pool that is gone: there is nothing to ask.
func (m *expectations) MembersListed(pool types.UID) bool {
	asked := true
	m.with(pool, func(r *poolState) { asked = r.membersListed })
	return asked
}

// SetMembersListed notes that it was asked.
func (m *expectations) SetMembersListed(pool types.UID) {
	m.with(pool, func(r *poolState) { r.membersListed = true })
}

// DeletePool forgets the pool of the name.
func (m *expectations) DeletePool(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(name, "")
}

// forget drops all pools of the name but one.
func (m *expectations) forget(name types.NamespacedName, but types.UID) {
	for uid, r := range m.pools {
		if r.name != name || uid == but {
			continue
		}
		for sandbox := range r.creations {
			m.drop(r, sandbox)
		}
		delete(m.pools, uid)
	}
}

func (m *expectations) drop(r *poolState, sandbox string) {
	delete(r.creations, sandbox)
	delete(m.creations, types.NamespacedName{Namespace: r.name.Namespace, Name: sandbox})
}

// with runs under the lock, if the pool is known.
func (m *expectations) with(pool types.UID, do func(*poolState)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.pools[pool]; r != nil {
		do(r)
	}
}
