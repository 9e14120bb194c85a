// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ledger follows claims, Sandboxes and pools through what the client's own watches show, and notes what must never happen:
// a pool above its size, a Sandbox with a second owner, a claim with a second Sandbox.
package ledger

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Ledger is safe for concurrent use. The events of one kind must be noted in their order.
type Ledger struct {
	mu         sync.Mutex
	asked      map[string]time.Time // claims and Sandboxes that the client created, and when it began to
	ready      map[string]time.Time // when the watch showed them Ready first
	bound      map[string]string    // by claim: the Sandbox that its status names
	taken      map[string]string    // by Sandbox: the claim whose status names it
	sandboxes  map[types.UID]*sandbox
	pools      map[types.UID]*Pool
	violations []string
}

// sandbox is what was seen last.
type sandbox struct {
	name    string
	pool    types.UID // that controls it
	claim   types.UID
	ready   bool
	variant string
}

// Pool counts the Sandboxes that a pool controls.
type Pool struct {
	Limit   int // never more than this; zero is no limit
	Members int
	Ready   int
	Most    int       // members there ever were at a time
	Lost    int       // members that were deleted, not handed out
	Stale   int       // members that are not of the variant that Want says
	Full    time.Time // when all members were last Ready
	Fresh   time.Time // when the last stale member left
	want    string
}

// Handover is a Sandbox that a claim got.
type Handover struct {
	Claim, Sandbox string
	Asked          time.Time // when the client began to create the claim
	Variant        string    // the image of its first container
	Warm           bool      // it had another name than the claim: it comes from a pool
}

// New is an empty ledger.
func New() *Ledger {
	return &Ledger{
		asked: map[string]time.Time{}, ready: map[string]time.Time{}, bound: map[string]string{}, taken: map[string]string{},
		sandboxes: map[types.UID]*sandbox{}, pools: map[types.UID]*Pool{},
	}
}

func (l *Ledger) breaks(format string, args ...any) {
	const enough = 20 // a rule that is broken once is broken a hundred times
	if len(l.violations) < enough {
		l.violations = append(l.violations, fmt.Sprintf(format, args...))
	}
}

// Limit says how many members the pool may have at most, from now on.
func (l *Ledger) Limit(pool types.UID, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pool(pool).Limit = most
}

// Want says which variant members should be of, from now on; Stale counts the others.
func (l *Ledger) Want(pool types.UID, variant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pool(pool)
	p.want, p.Stale = variant, 0
	for _, s := range l.sandboxes {
		if s.pool == pool && s.variant != variant {
			p.Stale++
		}
	}
}

func (l *Ledger) pool(uid types.UID) *Pool {
	p := l.pools[uid]
	if p == nil {
		p = &Pool{}
		l.pools[uid] = p
	}
	return p
}

// Asked notes that the client is about to create an object of the name.
func (l *Ledger) Asked(name string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[name] = at
}

// Claim notes an event of a claim.
func (l *Ledger) Claim(kind watch.EventType, claim *extensionsv1beta1.SandboxClaim, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kind == watch.Deleted {
		return
	}
	name := claim.Status.SandboxStatus.Name
	if before := l.bound[claim.Name]; name != "" && before != name {
		if before != "" {
			l.breaks("claim %s had Sandbox %s and now has %s", claim.Name, before, name)
		}
		if other := l.taken[name]; other != "" && other != claim.Name {
			l.breaks("claims %s and %s both have Sandbox %s", other, claim.Name, name)
		}
		l.bound[claim.Name], l.taken[name] = name, claim.Name
	} else if before != "" && name == "" {
		l.breaks("claim %s lost the name of its Sandbox %s", claim.Name, before)
	}
	l.readyFirst(claim.Name, claim.Status.Conditions, at)
}

func (l *Ledger) readyFirst(name string, conditions []metav1.Condition, at time.Time) {
	_, known := l.ready[name]
	if condition := apis.FindCondition(conditions, apis.ConditionReady); !known && condition != nil && condition.Status == metav1.ConditionTrue {
		l.ready[name] = at
	}
}

// Sandbox notes an event of a Sandbox.
func (l *Ledger) Sandbox(kind watch.EventType, object *agentsv1beta1.Sandbox, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, is := l.sandboxes[object.UID], look(object)
	if kind == watch.Deleted {
		if was != nil && was.pool != "" {
			l.pool(was.pool).Lost++
		}
		is = nil
		delete(l.sandboxes, object.UID)
	} else {
		l.sandboxes[object.UID] = is
		if is.claim == "" && is.pool == "" {
			l.readyFirst(object.Name, object.Status.Conditions, at)
		}
	}
	if was != nil && is != nil && was.claim != "" && is.claim != was.claim {
		l.breaks("Sandbox %s of claim %s came to claim %s", object.Name, was.claim, is.claim)
	}
	l.count(was, -1, at)
	l.count(is, +1, at)
}

func (l *Ledger) count(s *sandbox, by int, at time.Time) {
	if s == nil || s.pool == "" {
		return
	}
	p := l.pool(s.pool)
	p.Members += by
	if s.ready {
		p.Ready += by
	}
	if p.want != "" && s.variant != p.want {
		p.Stale += by
		if p.Stale == 0 {
			p.Fresh = at
		}
	}
	p.Most = max(p.Most, p.Members)
	if p.Limit > 0 && by > 0 {
		if p.Members > p.Limit {
			l.breaks("a pool of %d has %d members", p.Limit, p.Members)
		}
		if s.ready && p.Ready == p.Limit {
			p.Full = at
		}
	}
}

func look(object *agentsv1beta1.Sandbox) *sandbox {
	s := &sandbox{name: object.Name}
	if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
		switch owner.Kind {
		case apis.KindSandboxWarmPool:
			s.pool = owner.UID
		case apis.KindSandboxClaim:
			s.claim = owner.UID
		}
	}
	condition := apis.FindCondition(object.Status.Conditions, apis.ConditionReady)
	s.ready = condition != nil && condition.Status == metav1.ConditionTrue
	if containers := object.Spec.PodTemplate.Spec.Containers; len(containers) > 0 {
		s.variant = containers[0].Image
	}
	return s
}

// Pool returns the counts of a pool.
func (l *Ledger) Pool(uid types.UID) Pool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.pool(uid)
}

// Ready is how many of the objects that the client asked for have been Ready.
func (l *Ledger) Ready() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := 0
	for name := range l.asked {
		if _, ok := l.ready[name]; ok {
			count++
		}
	}
	return count
}

// Latencies is how long each object that has been Ready took, from the beginning of its creation until the watch showed it, and the time
// from the first creation to the last that became Ready.
func (l *Ledger) Latencies() (each []time.Duration, all time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var first, last time.Time
	for name, asked := range l.asked {
		ready, ok := l.ready[name]
		if !ok {
			continue
		}
		each = append(each, ready.Sub(asked))
		if first.IsZero() || asked.Before(first) {
			first = asked
		}
		if ready.After(last) {
			last = ready
		}
	}
	return each, last.Sub(first)
}

// Handovers is what claims got, as the watches show now, ordered by claim.
func (l *Ledger) Handovers() []Handover {
	l.mu.Lock()
	defer l.mu.Unlock()
	variants := map[string]string{}
	for _, s := range l.sandboxes {
		variants[s.name] = s.variant
	}
	all := make([]Handover, 0, len(l.bound))
	for claim, name := range l.bound {
		all = append(all, Handover{Claim: claim, Sandbox: name, Asked: l.asked[claim], Variant: variants[name], Warm: claim != name})
	}
	slices.SortFunc(all, func(a, b Handover) int { return strings.Compare(a.Claim, b.Claim) })
	return all
}

// Violations is what must never happen and did, and what the watches show now that must not be.
func (l *Ledger) Violations() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.violations)
	owned := map[types.UID]string{}
	for _, s := range l.sandboxes {
		if s.claim == "" {
			continue
		}
		if other := owned[s.claim]; other != "" {
			all = append(all, fmt.Sprintf("claim %s owns the Sandboxes %s and %s", s.claim, other, s.name))
		}
		owned[s.claim] = s.name
	}
	return all
}
