// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package warmqueue

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

var created = time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)

func newMember(name string, with ...func(*Member)) Member {
	m := Member{
		NamespacedName: types.NamespacedName{Namespace: "team", Name: name}, UID: types.UID(name),
		PoolHash: "pool", TemplateNameHash: "template", Ready: true, Created: created,
	}
	for _, change := range with {
		change(&m)
	}
	return m
}

func notReady(m *Member) { m.Ready = false }

func olderBy(by time.Duration) func(*Member) {
	return func(m *Member) { m.Created = m.Created.Add(-by) }
}

func inNamespace(namespace string) func(*Member) { return func(m *Member) { m.Namespace = namespace } }

func ofPool(hash string) func(*Member) { return func(m *Member) { m.PoolHash = hash } }

func ofTemplate(hash string) func(*Member) { return func(m *Member) { m.TemplateNameHash = hash } }

func newQueue(members ...Member) *Queue {
	q := New()
	for _, m := range members {
		q.Put(m)
	}
	return q
}

func anyMember(Member) bool { return true }

// noneLeaving reports that no node is leaving.
func noneLeaving(string) bool { return false }

func onNode(node string) func(*Member) { return func(m *Member) { m.Node = node } }

var teamTemplate = Selector{Namespace: "team", TemplateNameHash: "template"}

// drain leases members until none is left.
func drain(q *Queue, want Selector) (names []string) {
	most := q.Len()
	next := func() *Lease { return q.Lease(want, anyMember, noneLeaving) }
	for lease := next(); lease != nil && len(names) <= most; lease = next() {
		names = append(names, lease.Name)
	}
	return names
}

func TestReadyFirstThenOldestThenByName(t *testing.T) {
	q := newQueue(
		newMember("young"), newMember("b", olderBy(time.Hour)), newMember("a", olderBy(time.Hour)),
		newMember("not-ready", notReady, olderBy(9*time.Hour)),
	)
	want := []string{"a", "b", "young", "not-ready"}
	var listed []string
	for _, m := range q.allMembers(teamTemplate) {
		listed = append(listed, m.Name)
	}
	if !slices.Equal(listed, want) {
		t.Errorf("listed %v", listed)
	}
	if got := drain(q, teamTemplate); !slices.Equal(got, want) {
		t.Errorf("leased %v", got)
	}
}

func TestMembersOnNodesThatLeaveAreTakenLast(t *testing.T) {
	q := newQueue(
		newMember("old-leaves", olderBy(9*time.Hour), onNode("cordoned")),
		newMember("leaves-not-ready", notReady, onNode("cordoned")), newMember("young-leaves", onNode("cordoned")),
		newMember("stays", onNode("node")),
		newMember("unknown", olderBy(-time.Hour)),
		newMember("not-ready", notReady, onNode("node")),
	)
	var got []string
	for range q.Len() {
		got = append(got, q.Lease(teamTemplate, anyMember, func(node string) bool { return node == "cordoned" }).Name)
	}
	if want := []string{
		"stays", "unknown", "not-ready", "old-leaves", "young-leaves", "leaves-not-ready",
	}; !slices.Equal(got, want) {
		t.Errorf("leased %v, want %v", got, want)
	}
}

func TestWhatIsWanted(t *testing.T) {
	q := func() *Queue {
		return newQueue(
			newMember("a"), newMember("b", ofPool("other")), newMember("c", ofTemplate("other")),
			newMember("d", inNamespace("elsewhere")),
		)
	}
	tests := map[string]struct {
		want Selector
		got  []string
	}{
		"any pool of a template, in the namespace only": {teamTemplate, []string{"a", "b"}},
		"one pool of a template": {
			Selector{Namespace: "team", TemplateNameHash: "template", PoolHash: "other"}, []string{"b"},
		},
		"a pool, whatever its members were built from": {Selector{Namespace: "team", PoolHash: "pool"}, []string{"a", "c"}},
		"another namespace has its own": {
			Selector{Namespace: "elsewhere", TemplateNameHash: "template"}, []string{"d"},
		},
		"an unknown template has none": {Selector{Namespace: "team", TemplateNameHash: "x"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := drain(q(), tt.want); !slices.Equal(got, tt.got) {
				t.Errorf("got %v, want %v", got, tt.got)
			}
			var listed []string
			for _, m := range q().allMembers(tt.want) {
				listed = append(listed, m.Name)
			}
			if !slices.Equal(listed, tt.got) {
				t.Errorf("listed %v, want %v", listed, tt.got)
			}
		})
	}
}

func TestOnlyTheEligibleAreLeased(t *testing.T) {
	q := newQueue(newMember("a", olderBy(time.Hour)), newMember("b"))
	lease := q.Lease(teamTemplate, func(m Member) bool { return m.Name != "a" }, noneLeaving)
	if lease == nil || lease.Name != "b" {
		t.Errorf("leased %v", lease)
	}
}

func TestALeaseReturnsItselfUnlessKept(t *testing.T) {
	q := newQueue(newMember("a"))
	func() {
		lease := q.Lease(teamTemplate, anyMember, noneLeaving)
		defer lease.Release()
		if q.Lease(teamTemplate, anyMember, noneLeaving) != nil {
			t.Error("leased twice")
		}
		if q.Len() != 1 || len(q.allMembers(teamTemplate)) != 1 {
			t.Error("a leased member is not counted")
		}
	}()
	func() {
		defer func() { _ = recover() }()
		defer q.Lease(teamTemplate, anyMember, noneLeaving).Release()
		panic("the holder dies")
	}()
	lease := q.Lease(teamTemplate, anyMember, noneLeaving)
	if lease == nil {
		t.Fatal("the lease did not return itself")
	}
	lease.Consume()
	lease.Release()
	if q.Len() != 0 || q.Lease(teamTemplate, anyMember, noneLeaving) != nil {
		t.Error("a kept member is still there")
	}
	(*Lease)(nil).Release()
}

func TestTheWatchSpeaksDuringALease(t *testing.T) {
	again := func(m *Member) { m.UID = "again" }
	tests := map[string]struct {
		watch      func(*Queue)
		keep       bool
		freeDuring bool // the name may be leased while the lease is out
		left       int
		freeAfter  bool
	}{
		"news of the same member leave the lease alone": {
			watch: func(q *Queue) { q.Put(newMember("a", notReady)) }, left: 1, freeAfter: true,
		},
		"news of the same member, then it is kept": {
			watch: func(q *Queue) { q.Put(newMember("a", notReady)) }, keep: true,
		},
		"another one of the name is nobody's yet": {
			watch: func(q *Queue) { q.Put(newMember("a", again)) }, freeDuring: true, left: 1, freeAfter: true,
		},
		"to keep the old one does not take the new one": {
			watch: func(q *Queue) { q.Put(newMember("a", again)) }, keep: true, freeDuring: true, left: 1, freeAfter: true,
		},
		"a member that went stays gone": {
			watch: func(q *Queue) { q.Remove(newMember("a").NamespacedName) },
		},
		"a member that moved to another template is found there": {
			watch: func(q *Queue) { q.Put(newMember("a", ofTemplate("new"))) }, left: 1,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			q := newQueue(newMember("a"))
			lease := q.Lease(teamTemplate, anyMember, noneLeaving)
			tt.watch(q)
			other := q.Lease(teamTemplate, anyMember, noneLeaving)
			if (other != nil) != tt.freeDuring {
				t.Errorf("during the lease: %v", other)
			}
			other.Release()
			if tt.keep {
				lease.Consume()
			}
			lease.Release()
			if q.Len() != tt.left {
				t.Errorf("%d members left, want %d", q.Len(), tt.left)
			}
			if got := q.Lease(teamTemplate, anyMember, noneLeaving); (got != nil) != tt.freeAfter {
				t.Errorf("after the lease: %v", got)
			}
		})
	}
}

func TestWhetherAPoolHasAMember(t *testing.T) {
	q := newQueue(newMember("a"), newMember("b"), newMember("c", ofPool("other")), newMember("d", inNamespace("far")))
	expect := func(when string, want bool) {
		t.Helper()
		if got := q.HasMember("team", "pool"); got != want {
			t.Errorf("%s: the pool has a member: %t, want %t", when, got, want)
		}
	}
	q.Put(newMember("a")) // an update
	q.Remove(newMember("a").NamespacedName)
	expect("one is left", true)
	q.Put(newMember("b", ofTemplate("changed")))
	expect("the one that is left was updated", true)
	lease := q.Lease(Selector{Namespace: "team", PoolHash: "pool"}, anyMember, noneLeaving)
	expect("it is leased", true)
	lease.Consume()
	expect("it is adopted", false)
	q.Put(newMember("e", ofPool("other")))
	q.Put(newMember("e"))
	expect("a member moved here", true)
	q.Put(newMember("e", ofPool("other")))
	expect("it moved away", false)
	if !q.HasMember("team", "other") || !q.HasMember("far", "pool") {
		t.Error("pools of other names and namespaces have members of their own")
	}
}
