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

// memory is what this process did to pools and no cache shows yet, and since when something waits. It is keyed by the pool's
// UID: a pool made anew under an old name begins with nothing. Safe for concurrent use; the passes of one pool follow each
// other, the watch speaks at any time.
type memory struct {
	mu    sync.Mutex
	pools map[types.UID]*recall
	// joining finds the pool that waits to see a Sandbox.
	joining map[types.NamespacedName]types.UID
}

// recall is what is remembered of one pool.
type recall struct {
	flight

	name    types.NamespacedName
	credit  credit
	unsaid  time.Time // since when the status differs from what was written; zero while it does not
	missing string    // the template that a warning said is missing
	asked   bool      // the API server was asked which members there are

	contents map[types.UID]content // what its Sandboxes are made of
	made     map[string]bool       // revisions that this process could have made: the cache may not show the status that records them yet
}

// flight is what is on its way between the API server and the cache.
type flight struct {
	joining map[string]entry        // Sandboxes that were created or adopted, by name
	leaving map[types.UID]time.Time // members that were deleted, and when
	taken   taken
}

// entry is a Sandbox on its way into a pool.
type entry struct {
	since time.Time
	sure  bool // the API server said so
}

// taken is when claims took members that were not replaced yet; zero while there are none.
type taken struct{ first, last time.Time }

func newMemory() *memory {
	return &memory{pools: map[types.UID]*recall{}, joining: map[types.NamespacedName]types.UID{}}
}

// open begins a pass: it returns what is in flight, as of before the cache is read. What the cache shows later only adds to
// it: a Sandbox that arrives in between is in both, and counts once.
func (m *memory) open(pool *extensionsv1beta1.SandboxWarmPool, now time.Time, rate float64) (flight, credit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := types.NamespacedName{Namespace: pool.Namespace, Name: pool.Name}
	m.forget(name, pool.UID)
	r := m.pools[pool.UID]
	if r == nil {
		r = &recall{name: name, made: map[string]bool{}, flight: flight{joining: map[string]entry{}, leaving: map[types.UID]time.Time{}}, credit: full(rate, now)}
		m.pools[pool.UID] = r
	}
	r.credit = r.credit.grown(rate, now)
	return flight{joining: maps.Clone(r.joining), leaving: maps.Clone(r.leaving), taken: r.taken}, r.credit
}

// settle forgets what the cache has shown: Sandboxes that arrived, and members that are gone.
func (m *memory) settle(pool types.UID, members []*agentsv1beta1.Sandbox) {
	m.with(pool, func(r *recall) {
		there := make(map[types.UID]bool, len(members))
		for _, member := range members {
			there[member.UID] = true
			m.drop(r, member.Name)
		}
		maps.DeleteFunc(r.leaving, func(uid types.UID, _ time.Time) bool { return !there[uid] })
	})
}

// join notes a Sandbox before it is created or adopted.
func (m *memory) join(pool types.UID, name string, now time.Time) {
	m.with(pool, func(r *recall) {
		r.joining[name] = entry{since: now}
		m.joining[types.NamespacedName{Namespace: r.name.Namespace, Name: name}] = pool
	})
}

// joined says that the API server has the Sandbox. If the cache has shown it meanwhile there is nothing to remember.
func (m *memory) joined(pool types.UID, name string, now time.Time) {
	m.with(pool, func(r *recall) {
		if _, waiting := r.joining[name]; waiting {
			r.joining[name] = entry{since: now, sure: true}
		}
	})
}

// unjoin says that the Sandbox did not come.
func (m *memory) unjoin(pool types.UID, name string) {
	m.with(pool, func(r *recall) { m.drop(r, name) })
}

// saw says that the watch has shown a Sandbox that somebody controls.
func (m *memory) saw(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.pools[m.joining[name]]; r != nil {
		m.drop(r, name.Name)
	}
}

// leave notes a member before it is deleted.
func (m *memory) leave(pool, member types.UID, now time.Time) {
	m.with(pool, func(r *recall) { r.leaving[member] = now })
}

// stay says that the member was not deleted.
func (m *memory) stay(pool, member types.UID) {
	m.with(pool, func(r *recall) { delete(r.leaving, member) })
}

// took notes that a claim took a member.
func (m *memory) took(pool types.UID, now time.Time) {
	m.with(pool, func(r *recall) {
		if r.taken.first.IsZero() {
			r.taken.first = now
		}
		r.taken.last = now
	})
}

// refilled says that what was taken up to then is replaced, and what that cost.
func (m *memory) refilled(pool types.UID, until taken, created int) {
	m.with(pool, func(r *recall) {
		if r.taken == until {
			r.taken = taken{}
		}
		r.credit = r.credit.spent(created)
	})
}

// unsaidSince is since when the status differs from what was written: now, if this is the first time.
func (m *memory) unsaidSince(pool types.UID, now time.Time) (since time.Time) {
	since = now
	m.with(pool, func(r *recall) {
		if r.unsaid.IsZero() {
			r.unsaid = now
		}
		since = r.unsaid
	})
	return since
}

// said says that the status is as written.
func (m *memory) said(pool types.UID) { m.with(pool, func(r *recall) { r.unsaid = time.Time{} }) }

// lacks notes the template that is missing (empty: none is) and says whether that is news.
func (m *memory) lacks(pool types.UID, template string) (news bool) {
	m.with(pool, func(r *recall) { news, r.missing = r.missing != template, template })
	return news
}

// recalled says whether the API server was asked which members the pool has. It is true of a pool that is gone: there is nothing to ask.
func (m *memory) recalled(pool types.UID) bool {
	asked := true
	m.with(pool, func(r *recall) { asked = r.asked })
	return asked
}

// setRecalled notes that it was asked.
func (m *memory) setRecalled(pool types.UID) { m.with(pool, func(r *recall) { r.asked = true }) }

// gone forgets the pool of the name.
func (m *memory) gone(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(name, "")
}

// forget drops all pools of the name but one.
func (m *memory) forget(name types.NamespacedName, but types.UID) {
	for uid, r := range m.pools {
		if r.name != name || uid == but {
			continue
		}
		for sandbox := range r.joining {
			m.drop(r, sandbox)
		}
		delete(m.pools, uid)
	}
}

func (m *memory) drop(r *recall, sandbox string) {
	delete(r.joining, sandbox)
	delete(m.joining, types.NamespacedName{Namespace: r.name.Namespace, Name: sandbox})
}

// with runs under the lock, if the pool is known.
func (m *memory) with(pool types.UID, do func(*recall)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.pools[pool]; r != nil {
		do(r)
	}
}
