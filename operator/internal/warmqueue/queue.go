// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package warmqueue holds the warm Sandboxes that claims may adopt. It is an index over what the watch of Sandboxes has
// shown, and a claim leases one member at a time.
//
// Invariants:
//   - A member is leased to one holder at a time, so two claims of this process never try to adopt the same one.
//   - A lease that is not consumed puts the member back when it is released.
//   - Members are keyed by namespace and by the hash of the template's or the pool's name: namespaces never mix.
//   - A group or a pool without members uses no memory.
//
// The queue is a hint: the API server decides who owns a Sandbox. After a restart the watch fills it again.
package warmqueue

import (
	"cmp"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Member is a warm Sandbox.
type Member struct {
	types.NamespacedName

	UID              types.UID
	PoolHash         string // value of the pool's label
	TemplateNameHash string // value of the template's label
	Blueprint        string // blueprint hash of the template that it was made from
	Node             string // the node in its status, or ""
	Ready            bool
	Created          time.Time
}

// Selector selects the members that a claim may adopt. An empty hash matches any member; Namespace is required.
type Selector struct {
	Namespace        string
	PoolHash         string
	TemplateNameHash string
}

// Queue is the index. It is safe for concurrent use. Create it with New.
type Queue struct {
	mu      sync.Mutex
	members map[types.NamespacedName]*entry
	groups  map[group]map[types.NamespacedName]*entry
	pools   map[pool]int // how many members each pool has, including leased ones
}

type group struct{ namespace, template string }

type pool struct{ namespace, hash string }

type entry struct {
	Member

	leased bool
}

// New returns an empty queue.
func New() *Queue {
	return &Queue{
		members: map[types.NamespacedName]*entry{},
		groups:  map[group]map[types.NamespacedName]*entry{},
		pools:   map[pool]int{},
	}
}

// Put adds or updates a member. A lease of the member stays, unless the UID differs.
func (q *Queue) Put(m Member) {
	q.mu.Lock()
	defer q.mu.Unlock()
	leased := false
	if old := q.members[m.NamespacedName]; old != nil {
		leased = old.leased && old.UID == m.UID
		q.remove(m.NamespacedName)
	}
	e := &entry{Member: m, leased: leased}
	key := group{m.Namespace, m.TemplateNameHash}
	if q.groups[key] == nil {
		q.groups[key] = map[types.NamespacedName]*entry{}
	}
	q.members[m.NamespacedName], q.groups[key][m.NamespacedName] = e, e
	q.pools[pool{m.Namespace, m.PoolHash}]++
}

// Remove removes a member, if the queue has it.
func (q *Queue) Remove(name types.NamespacedName) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.remove(name)
}

func (q *Queue) remove(name types.NamespacedName) {
	e := q.members[name]
	if e == nil {
		return
	}
	delete(q.members, name)
	key := group{e.Namespace, e.TemplateNameHash}
	delete(q.groups[key], name)
	if len(q.groups[key]) == 0 {
		delete(q.groups, key)
	}
	of := pool{e.Namespace, e.PoolHash}
	if q.pools[of]--; q.pools[of] == 0 {
		delete(q.pools, of)
	}
}

// Len returns the number of members, including leased ones.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.members)
}

// HasMember reports whether a pool has a member, which may be leased. poolHash is the value of the pool's label.
func (q *Queue) HasMember(namespace, poolHash string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pools[pool{namespace, poolHash}] > 0
}

// Lease leases the best selected and eligible member: on a node that stays before one that is leaving, then Ready
// before not Ready, then the oldest, then by name. It returns nil if there is none. The caller defers Release, which
// accepts nil. eligible and nodeLeaving run under the queue's lock and must not call the queue.
func (q *Queue) Lease(selector Selector, eligible func(Member) bool, nodeLeaving func(node string) bool) *Lease {
	q.mu.Lock()
	defer q.mu.Unlock()
	var best *entry
	bestLeaving := false
	consider := func(e *entry) {
		if e.leased || (selector.PoolHash != "" && e.PoolHash != selector.PoolHash) || !eligible(e.Member) {
			return
		}
		leaving := nodeLeaving(e.Node)
		if best == nil || (bestLeaving && !leaving) || (bestLeaving == leaving && preferred(e, best)) {
			best, bestLeaving = e, leaving
		}
	}
	if selector.TemplateNameHash != "" {
		for _, e := range q.groups[group{selector.Namespace, selector.TemplateNameHash}] {
			consider(e)
		}
	} else {
		for key, members := range q.groups {
			if key.namespace != selector.Namespace {
				continue
			}
			for _, e := range members {
				consider(e)
			}
		}
	}
	if best == nil {
		return nil
	}
	best.leased = true
	return &Lease{Member: best.Member, queue: q}
}

func preferred(a, b *entry) bool {
	if a.Ready != b.Ready {
		return a.Ready
	}
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name)) < 0
}

// Lease is the exclusive right to try to adopt a member. It is not safe for concurrent use.
type Lease struct {
	Member

	queue    *Queue
	consumed bool
}

// Consume removes the member from the queue, because it was adopted or is no longer available.
func (l *Lease) Consume() {
	l.consumed = true
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	if l.queue.sameIncarnation(l) {
		l.queue.remove(l.NamespacedName)
	}
}

// Release puts the member back, unless the lease was consumed.
func (l *Lease) Release() {
	if l == nil || l.consumed {
		return
	}
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	if l.queue.sameIncarnation(l) {
		l.queue.members[l.NamespacedName].leased = false
	}
}

// sameIncarnation reports whether the queue still holds the leased member, and not another one of its name.
func (q *Queue) sameIncarnation(l *Lease) bool {
	e := q.members[l.NamespacedName]
	return e != nil && e.UID == l.UID
}
