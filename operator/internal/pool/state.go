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

// poolStates keep what pacing, reporting and hashing need between two reconciles of a pool. They are lost in a restart.
// They are keyed by the pool's UID: a recreated pool starts with none. Safe for concurrent use.
type poolStates struct {
	mu    sync.Mutex
	pools map[types.UID]*poolState
}

type poolState struct {
	name               types.NamespacedName
	bucket             tokenBucket
	adoptions          adoptions
	members            map[types.UID]string // the names of the members that the last reconcile saw or created
	statusPendingSince time.Time            // when the status first differed from the written one; zero if it does not
	missingTemplate    string               // the template that the last warning called missing
	membersListed      bool                 // the members were listed on the API server

	contents map[types.UID]content // of the pool's Sandboxes, by UID
	// revisions are those that this process may have created. The cached status may not record them yet.
	revisions map[string]bool
}

func newPoolStates() *poolStates { return &poolStates{pools: map[types.UID]*poolState{}} }

// startReconcile creates the state of a new pool and refills the tokens. It returns the tokens for new Sandboxes and
// the adoptions that the last reconcile left to replace.
func (s *poolStates) startReconcile(
	pool *extensionsv1beta1.SandboxWarmPool, now time.Time, rate float64,
) (tokenBucket, adoptions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := types.NamespacedName{Namespace: pool.Namespace, Name: pool.Name}
	s.deleteExcept(name, pool.UID)
	p := s.pools[pool.UID]
	if p == nil {
		p = &poolState{name: name, bucket: newTokenBucket(rate, now), revisions: map[string]bool{},
			members: map[types.UID]string{}}
		s.pools[pool.UID] = p
	}
	p.bucket = p.bucket.refilled(rate, now)
	return p.bucket, p.adoptions
}

// membersOf returns the UIDs and names of the members that the last reconcile saw or created.
func (s *poolStates) membersOf(pool types.UID) (members map[types.UID]string) {
	members = map[types.UID]string{}
	s.with(pool, func(p *poolState) { maps.Copy(members, p.members) })
	return members
}

// recordMembers records the members that a reconcile sees, and the adoptions that are left to replace.
func (s *poolStates) recordMembers(pool types.UID, left adoptions, lists ...[]*agentsv1beta1.Sandbox) {
	members := map[types.UID]string{}
	for _, list := range lists {
		for _, member := range list {
			members[member.UID] = member.Name
		}
	}
	s.with(pool, func(p *poolState) { p.adoptions, p.members = left, members })
}

// recordCreated records members that a reconcile created or adopted, and withdraws a token for each attempt to create
// one.
func (s *poolStates) recordCreated(pool types.UID, added []*agentsv1beta1.Sandbox, attempts int) {
	s.with(pool, func(p *poolState) {
		for _, member := range added {
			p.members[member.UID] = member.Name
		}
		p.bucket = p.bucket.withdraw(attempts)
	})
}

// recordStatusPending records that the status differs from the written one, and returns since when.
func (s *poolStates) recordStatusPending(pool types.UID, now time.Time) (since time.Time) {
	since = now
	s.with(pool, func(p *poolState) {
		if p.statusPendingSince.IsZero() {
			p.statusPendingSince = now
		}
		since = p.statusPendingSince
	})
	return since
}

// recordStatusWritten records that the status equals the written one.
func (s *poolStates) recordStatusWritten(pool types.UID) {
	s.with(pool, func(p *poolState) { p.statusPendingSince = time.Time{} })
}

// recordMissingTemplate records the missing template, empty for none, and returns whether it differs from the last one.
func (s *poolStates) recordMissingTemplate(pool types.UID, template string) (changed bool) {
	s.with(pool, func(p *poolState) { changed, p.missingTemplate = p.missingTemplate != template, template })
	return changed
}

// membersListed returns whether the pool's members were listed on the API server. It is true for an unknown pool, which
// has none.
func (s *poolStates) membersListed(pool types.UID) bool {
	listed := true
	s.with(pool, func(p *poolState) { listed = p.membersListed })
	return listed
}

// recordMembersListed records that the members were listed on the API server.
func (s *poolStates) recordMembersListed(pool types.UID) {
	s.with(pool, func(p *poolState) { p.membersListed = true })
}

// recordRevision records the revision of new members, and returns all revisions that this process may have created.
func (s *poolStates) recordRevision(pool types.UID, revision string) map[string]bool {
	all := map[string]bool{}
	s.with(pool, func(p *poolState) {
		if revision != "" {
			p.revisions[revision] = true
		}
		all = maps.Clone(p.revisions)
	})
	return all
}

// delete drops everything about a deleted pool.
func (s *poolStates) delete(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleteExcept(name, "")
}

// deleteExcept drops all pools with the name but the one with the UID.
func (s *poolStates) deleteExcept(name types.NamespacedName, except types.UID) {
	maps.DeleteFunc(s.pools, func(uid types.UID, p *poolState) bool { return p.name == name && uid != except })
}

// with calls do under the lock if the pool is known.
func (s *poolStates) with(pool types.UID, do func(*poolState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pools[pool]; p != nil {
		do(p)
	}
}
