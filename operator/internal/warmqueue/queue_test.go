// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package warmqueue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

var created = time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)

func named(name string, with ...func(*Member)) Member {
	m := Member{
		NamespacedName: types.NamespacedName{Namespace: "team", Name: name}, UID: types.UID(name),
		PoolHash: "pool", TemplateHash: "template", Ready: true, Created: created,
	}
	for _, change := range with {
		change(&m)
	}
	return m
}

func notReady(m *Member) { m.Ready = false }

func old(by time.Duration) func(*Member) {
	return func(m *Member) { m.Created = m.Created.Add(-by) }
}

func in(namespace string) func(*Member) { return func(m *Member) { m.Namespace = namespace } }

func ofPool(hash string) func(*Member) { return func(m *Member) { m.PoolHash = hash } }

func ofTemplate(hash string) func(*Member) { return func(m *Member) { m.TemplateHash = hash } }

func filled(members ...Member) *Queue {
	q := New()
	for _, m := range members {
		q.Put(m)
	}
	return q
}

func anyone(Member) bool { return true }

// nowhere is a cluster without a node that leaves.
func nowhere(string) bool { return false }

func on(node string) func(*Member) { return func(m *Member) { m.Node = node } }

var wanted = Want{Namespace: "team", TemplateHash: "template"}

// drain leases until there is nothing left, or more than there can be.
func drain(q *Queue, want Want) (names []string) {
	most := q.Len()
	for lease := q.Lease(want, anyone, nowhere); lease != nil && len(names) <= most; lease = q.Lease(want, anyone, nowhere) {
		names = append(names, lease.Name)
	}
	return names
}

func TestReadyFirstThenOldestThenByName(t *testing.T) {
	q := filled(named("young"), named("b", old(time.Hour)), named("a", old(time.Hour)), named("not-ready", notReady, old(9*time.Hour)))
	want := []string{"a", "b", "young", "not-ready"}
	var listed []string
	for _, m := range q.Members(wanted) {
		listed = append(listed, m.Name)
	}
	if !slices.Equal(listed, want) {
		t.Errorf("listed %v", listed)
	}
	if got := drain(q, wanted); !slices.Equal(got, want) {
		t.Errorf("leased %v", got)
	}
}

func TestMembersOnNodesThatLeaveAreTakenLast(t *testing.T) {
	q := filled(named("old-leaves", old(9*time.Hour), on("cordoned")), named("leaves-not-ready", notReady, on("cordoned")), named("young-leaves", on("cordoned")),
		named("stays", on("node")), named("unknown", old(-time.Hour)), named("not-ready", notReady, on("node")))
	var got []string
	for range q.Len() {
		got = append(got, q.Lease(wanted, anyone, func(node string) bool { return node == "cordoned" }).Name)
	}
	if want := []string{"stays", "unknown", "not-ready", "old-leaves", "young-leaves", "leaves-not-ready"}; !slices.Equal(got, want) {
		t.Errorf("leased %v, want %v", got, want)
	}
}

func TestWhatIsWanted(t *testing.T) {
	q := func() *Queue {
		return filled(named("a"), named("b", ofPool("other")), named("c", ofTemplate("other")), named("d", in("elsewhere")))
	}
	tests := map[string]struct {
		want Want
		got  []string
	}{
		"any pool of a template, in the namespace only": {wanted, []string{"a", "b"}},
		"one pool of a template":                        {Want{Namespace: "team", TemplateHash: "template", PoolHash: "other"}, []string{"b"}},
		"a pool, whatever its members were built from":  {Want{Namespace: "team", PoolHash: "pool"}, []string{"a", "c"}},
		"another namespace has its own":                 {Want{Namespace: "elsewhere", TemplateHash: "template"}, []string{"d"}},
		"an unknown template has none":                  {Want{Namespace: "team", TemplateHash: "x"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := drain(q(), tt.want); !slices.Equal(got, tt.got) {
				t.Errorf("got %v, want %v", got, tt.got)
			}
			var listed []string
			for _, m := range q().Members(tt.want) {
				listed = append(listed, m.Name)
			}
			if !slices.Equal(listed, tt.got) {
				t.Errorf("listed %v, want %v", listed, tt.got)
			}
		})
	}
}

func TestOnlyTheEligibleAreLeased(t *testing.T) {
	q := filled(named("a", old(time.Hour)), named("b"))
	lease := q.Lease(wanted, func(m Member) bool { return m.Name != "a" }, nowhere)
	if lease == nil || lease.Name != "b" {
		t.Errorf("leased %v", lease)
	}
}

func TestALeaseReturnsItselfUnlessKept(t *testing.T) {
	q := filled(named("a"))
	func() {
		lease := q.Lease(wanted, anyone, nowhere)
		defer lease.Return()
		if q.Lease(wanted, anyone, nowhere) != nil {
			t.Error("leased twice")
		}
		if q.Len() != 1 || len(q.Members(wanted)) != 1 {
			t.Error("a leased member is not counted")
		}
	}()
	func() {
		defer func() { _ = recover() }()
		defer q.Lease(wanted, anyone, nowhere).Return()
		panic("the holder dies")
	}()
	lease := q.Lease(wanted, anyone, nowhere)
	if lease == nil {
		t.Fatal("the lease did not return itself")
	}
	lease.Keep()
	lease.Return()
	if q.Len() != 0 || q.Lease(wanted, anyone, nowhere) != nil {
		t.Error("a kept member is still there")
	}
	(*Lease)(nil).Return()
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
			watch: func(q *Queue) { q.Put(named("a", notReady)) }, left: 1, freeAfter: true,
		},
		"news of the same member, then it is kept": {
			watch: func(q *Queue) { q.Put(named("a", notReady)) }, keep: true,
		},
		"another one of the name is nobody's yet": {
			watch: func(q *Queue) { q.Put(named("a", again)) }, freeDuring: true, left: 1, freeAfter: true,
		},
		"to keep the old one does not take the new one": {
			watch: func(q *Queue) { q.Put(named("a", again)) }, keep: true, freeDuring: true, left: 1, freeAfter: true,
		},
		"a member that went stays gone": {
			watch: func(q *Queue) { q.Remove(named("a").NamespacedName) },
		},
		"a member that moved to another template is found there": {
			watch: func(q *Queue) { q.Put(named("a", ofTemplate("new"))) }, left: 1,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			q := filled(named("a"))
			lease := q.Lease(wanted, anyone, nowhere)
			tt.watch(q)
			other := q.Lease(wanted, anyone, nowhere)
			if (other != nil) != tt.freeDuring {
				t.Errorf("during the lease: %v", other)
			}
			other.Return()
			if tt.keep {
				lease.Keep()
			}
			lease.Return()
			if q.Len() != tt.left {
				t.Errorf("%d members left, want %d", q.Len(), tt.left)
			}
			if got := q.Lease(wanted, anyone, nowhere); (got != nil) != tt.freeAfter {
				t.Errorf("after the lease: %v", got)
			}
		})
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	q := New()
	for i := range 100 {
		q.Put(named(fmt.Sprint(i), in(fmt.Sprint(i%3)), ofTemplate(fmt.Sprint(i%7))))
	}
	q.Put(named("1", in("1"), ofTemplate("moved")))
	for i := range 100 {
		q.Remove(types.NamespacedName{Namespace: fmt.Sprint(i % 3), Name: fmt.Sprint(i)})
		q.Remove(types.NamespacedName{Namespace: "nowhere", Name: fmt.Sprint(i)})
	}
	if len(q.members) != 0 || len(q.groups) != 0 {
		t.Errorf("%d members, %d groups", len(q.members), len(q.groups))
	}
}

// TestHammer is for the race detector, and counts that nobody gets what another holds.
func TestHammer(t *testing.T) {
	const members, holders, tries = 16, 8, 400
	q := New()
	held := make([]atomic.Int32, members)
	var all sync.WaitGroup
	for holder := range holders {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(holder), 1))
			for range tries {
				i := random.IntN(members)
				switch random.IntN(6) {
				case 0:
					q.Put(named(fmt.Sprint(i)))
				case 1:
					_ = q.Len() + len(q.Members(wanted))
				default:
					hold(t, q, held, random)
				}
			}
		})
	}
	all.Wait()
	for i := range members {
		q.Put(named(fmt.Sprint(i)))
	}
	if got := drain(q, wanted); len(got) != members {
		t.Errorf("%d of %d members can be had: a lease got lost", len(got), members)
	}
}

func hold(t *testing.T, q *Queue, held []atomic.Int32, random *rand.Rand) {
	lease := q.Lease(wanted, anyone, nowhere)
	if lease == nil {
		return
	}
	defer lease.Return()
	var i int
	if _, err := fmt.Sscan(lease.Name, &i); err != nil {
		t.Error(err)
		return
	}
	if n := held[i].Add(1); n != 1 {
		t.Errorf("member %d has %d holders", i, n)
	}
	kept := random.IntN(2) == 0
	held[i].Add(-1)
	if kept {
		lease.Keep()
	}
}
