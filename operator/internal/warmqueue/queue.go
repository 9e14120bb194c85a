// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package warmqueue holds the warm Sandboxes that claims may take: an index over what the Sandbox watch has shown, from which a
// claim leases one member at a time.
//
// Invariants:
//   - a member is leased to one holder at a time, so two claims of this process never try for the same one;
//   - a lease that is not kept puts the member back, whatever way its holder returns;
//   - the key is the namespace and the template's or the pool's name hash: namespaces never mix;
//   - a group without members takes no memory.
//
// The queue is a hint: the API server decides who owns a Sandbox. It is filled by the watch, so a restart fills it anew.
package warmqueue

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Member is a warm Sandbox.
type Member struct {
	types.NamespacedName

	UID          types.UID
	PoolHash     string // value of the pool's label
	TemplateHash string // value of the template's label
	Blueprint    string // hash of what it was built from
	Node         string // that it runs on, as far as its status says
	Ready        bool
	Created      time.Time
}

// Selector says which members a claim may take. Empty hashes match any; Namespace is always meant.
type Selector struct {
	Namespace    string
	PoolHash     string
	TemplateHash string
}

// Queue is the index. Safe for concurrent use; the zero value is not: use New.
type Queue struct {
	mu      sync.Mutex
	members map[types.NamespacedName]*entry
	groups  map[group]map[types.NamespacedName]*entry
}

type group struct{ namespace, template string }

type entry struct {
	Member

	leased bool
}

// New returns an empty queue.
func New() *Queue {
	return &Queue{members: map[types.NamespacedName]*entry{}, groups: map[group]map[types.NamespacedName]*entry{}}
}

// Put adds a member or brings what is known of it up to date. A lease on the same incarnation stays.
func (q *Queue) Put(m Member) {
	q.mu.Lock()
	defer q.mu.Unlock()
	leased := false
	if old := q.members[m.NamespacedName]; old != nil {
		leased = old.leased && old.UID == m.UID
		q.remove(m.NamespacedName)
	}
	e := &entry{Member: m, leased: leased}
	key := group{m.Namespace, m.TemplateHash}
	if q.groups[key] == nil {
		q.groups[key] = map[types.NamespacedName]*entry{}
	}
	q.members[m.NamespacedName], q.groups[key][m.NamespacedName] = e, e
}

// Remove forgets a member: it is gone, or warm no more. Removing what is not there is fine.
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
	key := group{e.Namespace, e.TemplateHash}
	delete(q.groups[key], name)
	if len(q.groups[key]) == 0 {
		delete(q.groups, key)
	}
}

// Len is the number of members, leased ones included.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.members)
}

// Lease takes the best member that is wanted, eligible and not leased: one whose node stays before one whose node is leaving, then Ready
// before not, then the oldest, then by name. The caller defers Return on what it gets; nil means that there is none, and Return on
// nil is fine. eligible and leaving run under the queue's lock and must not call the queue.
func (q *Queue) Lease(want Selector, eligible func(Member) bool, leaving func(node string) bool) *Lease {
	q.mu.Lock()
	defer q.mu.Unlock()
	var best *entry
	bestLeaves := false
	consider := func(e *entry) {
		if e.leased || (want.PoolHash != "" && e.PoolHash != want.PoolHash) || !eligible(e.Member) {
			return
		}
		leaves := leaving(e.Node)
		if best == nil || (bestLeaves && !leaves) || (bestLeaves == leaves && preferred(e, best)) {
			best, bestLeaves = e, leaves
		}
	}
	if want.TemplateHash != "" {
		for _, e := range q.groups[group{want.Namespace, want.TemplateHash}] {
			consider(e)
		}
	} else {
		for key, members := range q.groups {
			if key.namespace != want.Namespace {
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

// Members lists the members that are wanted, best first, leased ones included.
func (q *Queue) Members(want Selector) []Member {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []*entry
	for _, e := range q.members {
		if e.Namespace == want.Namespace && (want.PoolHash == "" || e.PoolHash == want.PoolHash) &&
			(want.TemplateHash == "" || e.TemplateHash == want.TemplateHash) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int {
		if preferred(a, b) {
			return -1
		}
		return 1
	})
	members := make([]Member, 0, len(all))
	for _, e := range all {
		members = append(members, e.Member)
	}
	return members
}

// Lease is the right to try for a member. Not safe for concurrent use.
type Lease struct {
	Member

	queue    *Queue
	consumed bool
}

// Consume says that the member was taken: it leaves the queue.
func (l *Lease) Consume() {
	l.consumed = true
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	if l.queue.sameIncarnation(l) {
		l.queue.remove(l.NamespacedName)
	}
}

// Release puts the member back, unless it was kept. It is made for defer.
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

// sameIncarnation says whether what the queue holds under the lease's name is still what was leased.
func (q *Queue) sameIncarnation(l *Lease) bool {
	e := q.members[l.NamespacedName]
	return e != nil && e.UID == l.UID
}
