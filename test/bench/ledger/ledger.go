// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ledger follows claims, Sandboxes and pools through the client's own watches, and records what must never
// happen: a pool above its size, a Sandbox with a second owner, a claim with a second Sandbox.
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

// Ledger records events and derives counts and violations. It is safe for concurrent use, but the events of one kind
// must be recorded in order.
type Ledger struct {
	mu         sync.Mutex
	created    map[string]time.Time // when the client began to create each claim and Sandbox
	ready      map[string]time.Time // when the watch first showed each of them Ready
	sandboxOf  map[string]string    // claim to the Sandbox in its status
	claimOf    map[string]string    // Sandbox to the claim whose status names it
	sandboxes  map[types.UID]*sandbox
	pools      map[types.UID]*Pool
	violations []string
}

// sandbox is the last observed state of a Sandbox.
type sandbox struct {
	name  string
	pool  types.UID // the pool that controls it
	claim types.UID
	ready bool
	// suspended means that the Sandbox is asked to have no Pod and has none.
	suspended bool
	variant   string
}

// Counts are numbers of existing Sandboxes, whoever owns them.
type Counts struct{ All, Ready, Suspended int }

// Handover is a Sandbox that a claim got.
type Handover struct {
	Claim, Sandbox string
	Created        time.Time // when the client began to create the claim
	Variant        string    // the image of the Sandbox's first container
	Warm           bool      // the Sandbox came from a pool: its name differs from the claim's
}

// New returns an empty ledger.
func New() *Ledger {
	return &Ledger{
		created: map[string]time.Time{}, ready: map[string]time.Time{}, sandboxOf: map[string]string{},
		claimOf:   map[string]string{},
		sandboxes: map[types.UID]*sandbox{}, pools: map[types.UID]*Pool{},
	}
}

func (l *Ledger) addViolation(format string, args ...any) {
	const enough = 20 // one fault may cause hundreds of violations
	if len(l.violations) < enough {
		l.violations = append(l.violations, fmt.Sprintf(format, args...))
	}
}

// RecordCreation records that the client is about to create an object.
func (l *Ledger) RecordCreation(name string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.created[name] = at
}

// RecordClaim records an event of a claim.
func (l *Ledger) RecordClaim(kind watch.EventType, claim *extensionsv1beta1.SandboxClaim, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kind == watch.Deleted {
		return
	}
	name := claim.Status.SandboxStatus.Name
	if before := l.sandboxOf[claim.Name]; name != "" && before != name {
		if before != "" {
			l.addViolation("claim %s had Sandbox %s and now has %s", claim.Name, before, name)
		}
		if other := l.claimOf[name]; other != "" && other != claim.Name {
			l.addViolation("claims %s and %s both have Sandbox %s", other, claim.Name, name)
		}
		l.sandboxOf[claim.Name], l.claimOf[name] = name, claim.Name
	} else if before != "" && name == "" {
		l.addViolation("claim %s lost the name of its Sandbox %s", claim.Name, before)
	}
	l.recordReady(claim.Name, claim.Status.Conditions, at)
}

func (l *Ledger) recordReady(name string, conditions []metav1.Condition, at time.Time) {
	_, known := l.ready[name]
	if condition := apis.FindCondition(conditions, apis.ConditionReady); !known && condition != nil &&
		condition.Status == metav1.ConditionTrue {
		l.ready[name] = at
	}
}

// RecordSandbox records an event of a Sandbox.
func (l *Ledger) RecordSandbox(kind watch.EventType, object *agentsv1beta1.Sandbox, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was, is := l.sandboxes[object.UID], observe(object)
	if kind == watch.Deleted {
		if was != nil && was.pool != "" {
			l.pool(was.pool).Lost++
		}
		is = nil
		delete(l.sandboxes, object.UID)
	} else {
		l.sandboxes[object.UID] = is
		if is.claim == "" && is.pool == "" {
			l.recordReady(object.Name, object.Status.Conditions, at)
		}
	}
	if was != nil && is != nil && was.claim != "" && is.claim != was.claim {
		l.addViolation("Sandbox %s of claim %s came to claim %s", object.Name, was.claim, is.claim)
	}
	l.count(was, -1, at)
	l.count(is, +1, at)
	l.settle(was, at)
	l.settle(is, at)
}

func observe(object *agentsv1beta1.Sandbox) *sandbox {
	s := &sandbox{name: object.Name}
	if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
		switch owner.Kind {
		case apis.KindSandboxWarmPool:
			s.pool = owner.UID
		case apis.KindSandboxClaim:
			s.claim = owner.UID
		}
	}
	isTrue := func(kind apis.ConditionType) bool {
		condition := apis.FindCondition(object.Status.Conditions, kind)
		return condition != nil && condition.Status == metav1.ConditionTrue
	}
	s.ready, s.suspended = isTrue(apis.ConditionReady), isTrue(apis.ConditionSuspended)
	if containers := object.Spec.PodTemplate.Spec.Containers; len(containers) > 0 {
		s.variant = containers[0].Image
	}
	return s
}

// Count counts all Sandboxes.
func (l *Ledger) Count() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := Counts{All: len(l.sandboxes)}
	for _, s := range l.sandboxes {
		if s.ready {
			counts.Ready++
		}
		if s.suspended {
			counts.Suspended++
		}
	}
	return counts
}

// Ready returns how many of the objects that the client created have been Ready.
func (l *Ledger) Ready() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := 0
	for name := range l.created {
		if _, ok := l.ready[name]; ok {
			count++
		}
	}
	return count
}

// Latencies returns the time from the beginning of each object's creation until the watch showed it Ready, and the time
// from the first creation until the last object was Ready. Objects that have not been Ready are left out.
func (l *Ledger) Latencies() (each []time.Duration, all time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var first, last time.Time
	for name, asked := range l.created {
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

// ReadyTimes returns when the watch first showed each object Ready that the client created.
func (l *Ledger) ReadyTimes() map[string]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]time.Time{}
	for name := range l.created {
		if at, ok := l.ready[name]; ok {
			all[name] = at
		}
	}
	return all
}

// Creations returns when the client began to create its first object, and its last.
func (l *Ledger) Creations() (first, last time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range l.created {
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	return first, last
}

// Handovers returns the Sandboxes that claims have, ordered by claim.
func (l *Ledger) Handovers() []Handover {
	l.mu.Lock()
	defer l.mu.Unlock()
	variants := map[string]string{}
	for _, s := range l.sandboxes {
		variants[s.name] = s.variant
	}
	all := make([]Handover, 0, len(l.sandboxOf))
	for claim, name := range l.sandboxOf {
		all = append(all, Handover{
			Claim: claim, Sandbox: name, Created: l.created[claim], Variant: variants[name], Warm: claim != name,
		})
	}
	slices.SortFunc(all, func(a, b Handover) int { return strings.Compare(a.Claim, b.Claim) })
	return all
}

// Violations returns the recorded violations, and those of the current state.
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
