// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package warmqueue

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestNothingIsLeftBehind(t *testing.T) {
	q := New()
	for i := range 100 {
		q.Put(newMember(fmt.Sprint(i), inNamespace(fmt.Sprint(i%3)), ofTemplate(fmt.Sprint(i%7))))
	}
	q.Put(newMember("1", inNamespace("1"), ofTemplate("moved")))
	for i := range 100 {
		q.Remove(types.NamespacedName{Namespace: fmt.Sprint(i % 3), Name: fmt.Sprint(i)})
		q.Remove(types.NamespacedName{Namespace: "nowhere", Name: fmt.Sprint(i)})
	}
	if len(q.members) != 0 || len(q.groups) != 0 || len(q.pools) != 0 {
		t.Errorf("%d members, %d groups, %d pools", len(q.members), len(q.groups), len(q.pools))
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
					q.Put(newMember(fmt.Sprint(i)))
				case 1:
					_ = q.Len() + len(q.allMembers(teamTemplate))
					q.HasMember("team", "pool")
				default:
					hold(t, q, held, random)
				}
			}
		})
	}
	all.Wait()
	for i := range members {
		q.Put(newMember(fmt.Sprint(i)))
	}
	if got := drain(q, teamTemplate); len(got) != members {
		t.Errorf("%d of %d members can be had: a lease got lost", len(got), members)
	}
}

func hold(t *testing.T, q *Queue, held []atomic.Int32, random *rand.Rand) {
	lease := q.Lease(teamTemplate, anyMember, noneLeaving)
	if lease == nil {
		return
	}
	defer lease.Release()
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
		lease.Consume()
	}
}
