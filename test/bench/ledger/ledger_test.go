// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

var begin = time.Unix(1700000000, 0)

func at(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }

func ready(is bool) []metav1.Condition {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	return []metav1.Condition{{Type: "Ready", Status: status}}
}

// box returns a Sandbox with a controller such as "SandboxWarmPool/p", or with none if owner is empty.
func box(name, owner string, isReady bool) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{}
	s.Name, s.UID = name, types.UID(name)
	s.Status.Conditions = ready(isReady)
	if kind, uid, owned := strings.Cut(owner, "/"); owned {
		s.OwnerReferences = []metav1.OwnerReference{{Kind: kind, UID: types.UID(uid), Controller: new(true)}}
	}
	return s
}

func claim(name, sandbox string, isReady bool) *extensionsv1beta1.SandboxClaim {
	c := &extensionsv1beta1.SandboxClaim{}
	c.Name = name
	c.Status.SandboxStatus.Name = sandbox
	c.Status.Conditions = ready(isReady)
	return c
}

const (
	ofPool  = "SandboxWarmPool/p"
	ofClaim = "SandboxClaim/c"
)

func TestWhatMustNeverHappenIsNoted(t *testing.T) {
	tests := map[string]struct {
		events func(*Ledger)
		want   string // a part of the only violation; empty: no violation
	}{
		"a pool at its limit": {func(l *Ledger) {
			l.RecordSandbox(watch.Added, box("a", ofPool, true), at(0))
			l.RecordSandbox(watch.Added, box("b", ofPool, true), at(0))
		}, ""},
		"a pool above its limit": {func(l *Ledger) {
			for _, name := range []string{"a", "b", "c"} {
				l.RecordSandbox(watch.Added, box(name, ofPool, false), at(0))
			}
		}, "a pool of 2 has 3 members"},
		"a member that was handed out leaves room": {func(l *Ledger) {
			l.RecordSandbox(watch.Added, box("a", ofPool, true), at(0))
			l.RecordSandbox(watch.Added, box("b", ofPool, true), at(0))
			l.RecordSandbox(watch.Modified, box("a", ofClaim, true), at(1))
			l.RecordSandbox(watch.Added, box("c", ofPool, true), at(2))
		}, ""},
		"a Sandbox that changes its claim": {func(l *Ledger) {
			l.RecordSandbox(watch.Added, box("a", ofClaim, true), at(0))
			l.RecordSandbox(watch.Modified, box("a", "SandboxClaim/d", true), at(1))
		}, "Sandbox a of claim c came to claim d"},
		"a Sandbox that goes back to its pool": {func(l *Ledger) {
			l.RecordSandbox(watch.Added, box("a", ofClaim, true), at(0))
			l.RecordSandbox(watch.Modified, box("a", ofPool, true), at(1))
		}, "Sandbox a of claim c came to claim "},
		"a claim that changes its Sandbox": {func(l *Ledger) {
			l.RecordClaim(watch.Added, claim("c", "a", true), at(0))
			l.RecordClaim(watch.Modified, claim("c", "b", true), at(1))
		}, "claim c had Sandbox a and now has b"},
		"a claim that loses its Sandbox": {func(l *Ledger) {
			l.RecordClaim(watch.Added, claim("c", "a", true), at(0))
			l.RecordClaim(watch.Modified, claim("c", "", true), at(1))
		}, "claim c lost the name of its Sandbox a"},
		"two claims with one Sandbox": {func(l *Ledger) {
			l.RecordClaim(watch.Added, claim("c", "a", true), at(0))
			l.RecordClaim(watch.Added, claim("d", "a", true), at(1))
		}, "claims c and d both have Sandbox a"},
		"a claim with two Sandboxes": {func(l *Ledger) {
			l.RecordSandbox(watch.Added, box("a", ofClaim, true), at(0))
			l.RecordSandbox(watch.Added, box("b", ofClaim, true), at(0))
		}, "claim c owns the Sandboxes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := New()
			l.SetLimit("p", 2)
			tt.events(l)
			got := l.Violations()
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
				t.Errorf("violations are %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLatencyRunsFromTheCreationToTheFirstReadyThatTheWatchShows(t *testing.T) {
	l := New()
	l.RecordCreation("one", at(0))
	l.RecordCreation("two", at(10))
	l.RecordCreation("never", at(20))
	l.RecordClaim(watch.Added, claim("one", "", false), at(1))
	l.RecordClaim(watch.Modified, claim("one", "a", true), at(5))
	l.RecordClaim(watch.Modified, claim("one", "a", false), at(6))
	l.RecordClaim(watch.Modified, claim("one", "a", true), at(50)) // only the first Ready counts
	l.RecordSandbox(watch.Added, box("two", "", true), at(30))
	each, all := l.Latencies()
	slices.Sort(each)
	if want := []time.Duration{5 * time.Millisecond, 20 * time.Millisecond}; !slices.Equal(each, want) {
		t.Errorf("latencies are %v, want %v", each, want)
	}
	if all != 30*time.Millisecond || l.Ready() != 2 {
		t.Errorf("all took %s, %d are ready", all, l.Ready())
	}
}

func TestPoolsAreCounted(t *testing.T) {
	l := New()
	l.SetLimit("p", 2)
	l.RecordSandbox(watch.Added, box("a", ofPool, false), at(0))
	l.RecordSandbox(watch.Added, box("b", ofPool, false), at(1))
	l.RecordSandbox(watch.Modified, box("a", ofPool, true), at(2))
	l.RecordSandbox(watch.Modified, box("b", ofPool, true), at(3))
	l.RecordSandbox(watch.Deleted, box("a", ofPool, true), at(4))
	l.ExpectVariant("p", "other")
	want := Pool{Limit: 2, Members: 1, Ready: 1, Most: 2, Lost: 1, Stale: 1, FullAt: at(3), want: "other"}
	if got := l.Pool("p"); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	l.RecordSandbox(watch.Modified, box("b", ofClaim, true), at(5))
	want.Members, want.Ready, want.Stale, want.FreshAt = 0, 0, 0, at(5)
	if got := l.Pool("p"); got != want {
		t.Errorf("after the last stale member left: got %+v, want %+v", got, want)
	}
}

func TestAPoolRemembersItsFewestReadyMembersAndHowOftenItWasDry(t *testing.T) {
	member := func(name string, isReady bool) func(*Ledger) {
		return func(l *Ledger) { l.RecordSandbox(watch.Modified, box(name, ofPool, isReady), at(0)) }
	}
	adopt := func(name, claim string) func(*Ledger) {
		return func(l *Ledger) { l.RecordSandbox(watch.Modified, box(name, "SandboxClaim/"+claim, true), at(0)) }
	}
	tests := map[string]struct {
		events      []func(*Ledger)
		fewest, dry int
	}{
		"nothing happens":                   {nil, 2, 0},
		"an event that changes nothing":     {[]func(*Ledger){member("a", true)}, 2, 0},
		"a member leaves":                   {[]func(*Ledger){adopt("a", "c")}, 1, 0},
		"a member is no longer Ready":       {[]func(*Ledger){member("a", false)}, 1, 0},
		"it comes back":                     {[]func(*Ledger){member("a", false), member("a", true)}, 1, 0},
		"an event of the only Ready member": {[]func(*Ledger){adopt("a", "c"), member("b", true)}, 1, 0},
		"the last one leaves":               {[]func(*Ledger){adopt("a", "c"), adopt("b", "d")}, 0, 1},
		"an event while the pool is dry": {
			[]func(*Ledger){member("a", false), member("b", false), member("a", false)}, 0, 1,
		},
		"it becomes dry, recovers, and again": {
			[]func(*Ledger){member("a", false), adopt("b", "c"), member("a", true), adopt("a", "d")}, 0, 2,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := New()
			l.SetLimit("p", 2)
			member("a", true)(l)
			member("b", true)(l)
			l.TrackFewest("p")
			for _, event := range tt.events {
				event(l)
			}
			if got := l.Pool("p"); got.Fewest != tt.fewest || got.Dry != tt.dry {
				t.Errorf("fewest %d, dry %d; want %d, %d", got.Fewest, got.Dry, tt.fewest, tt.dry)
			}
		})
	}
}

func TestAPoolIsFullFromTheEventThatMadeItFull(t *testing.T) {
	l := New()
	l.SetLimit("p", 1)
	l.RecordSandbox(watch.Added, box("a", ofPool, true), at(1))
	l.RecordSandbox(watch.Modified, box("a", ofPool, true), at(2))
	if got := l.Pool("p").FullAt; !got.Equal(at(1)) {
		t.Errorf("full at %s, want %s: a later event of a member does not count", got, at(1))
	}
	l.RecordSandbox(watch.Modified, box("a", ofClaim, true), at(3))
	l.RecordSandbox(watch.Added, box("b", ofPool, false), at(4))
	l.RecordSandbox(watch.Modified, box("b", ofPool, true), at(5))
	if got := l.Pool("p").FullAt; !got.Equal(at(5)) {
		t.Errorf("full again at %s, want %s", got, at(5))
	}
}

func TestCreationsAndReadyTimesAreThoseOfTheClientsObjects(t *testing.T) {
	l := New()
	if first, last := l.Creations(); !first.IsZero() || !last.IsZero() {
		t.Errorf("without objects: %s, %s", first, last)
	}
	l.RecordCreation("one", at(10))
	for i := 11; i < 30; i++ {
		l.RecordCreation(fmt.Sprint(i), at(i))
	}
	l.RecordCreation("last", at(30))
	l.RecordClaim(watch.Added, claim("one", "a", true), at(15))
	l.RecordClaim(watch.Added, claim("of somebody else", "b", true), at(16))
	if first, last := l.Creations(); !first.Equal(at(10)) || !last.Equal(at(30)) {
		t.Errorf("from %s to %s", first, last)
	}
	if got := l.ReadyTimes(); len(got) != 1 || !got["one"].Equal(at(15)) {
		t.Errorf("Ready: %v", got)
	}
}

func TestHandoversSayWhetherTheyWereWarm(t *testing.T) {
	l := New()
	l.RecordSandbox(watch.Added, box("pool-1", ofClaim, true), at(0))
	l.RecordClaim(watch.Added, claim("c2", "pool-1", true), at(0))
	l.RecordClaim(watch.Added, claim("c1", "c1", true), at(0))
	want := []Handover{{Claim: "c1", Sandbox: "c1"}, {Claim: "c2", Sandbox: "pool-1", Warm: true}}
	if got := l.Handovers(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAllSandboxesAreCountedByTheirState(t *testing.T) {
	suspended := box("s", "", false)
	suspended.Status.Conditions = append(suspended.Status.Conditions,
		metav1.Condition{Type: "Suspended", Status: metav1.ConditionTrue})
	suspending := box("t", "", false)
	suspending.Status.Conditions = append(suspending.Status.Conditions,
		metav1.Condition{Type: "Suspended", Status: metav1.ConditionFalse})
	l := New()
	for _, one := range []*agentsv1beta1.Sandbox{
		suspended, suspending, box("a", ofPool, true), box("b", ofClaim, true), box("c", "", false), box("d", "", true),
	} {
		l.RecordSandbox(watch.Added, one, at(0))
	}
	l.RecordSandbox(watch.Deleted, box("d", "", true), at(1))
	if got, want := l.Count(), (Counts{All: 5, Ready: 2, Suspended: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
