// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

const (
	lag       = 5 * time.Millisecond // of the cache
	lifetime  = time.Second          // of a claim
	startTime = time.Second          // of a member's container
)

// rush is a simulation in which claims take members at their times, requests take time, containers start, the cache
// lags and the pool is reconciled when a change or a delay is due. Requests follow each other, also those in parallel:
// the pool can do better.
type rush struct {
	*world

	size         int
	server       map[string]*agentsv1beta1.Sandbox
	createTakes  time.Duration
	claimTakes   time.Duration // from its arrival to its Ready
	events       []rushEvent   // sorted by time
	nextPass     time.Time     // zero if none is due
	ready        []string      // members that no claim took, the oldest first
	created      int
	createdWhile int // members that were created while a claim waited
	leastReady   int
	cold         int // claims that found no Ready member
}

type rushEvent struct {
	at time.Time
	do func()
}

func newRush(t *testing.T, size int32, createTakes, claimTakes time.Duration) *rush {
	t.Helper()
	r := &rush{
		world:  newWorld(t, testOptions, python(), poolOfThree(builders.WithReplicas(size))),
		size:   int(size),
		server: map[string]*agentsv1beta1.Sandbox{}, createTakes: createTakes, claimTakes: claimTakes, nextPass: testNow,
	}
	onServer := r.cached
	r.cached = interceptor.NewClient(r.store, interceptor.Funcs{
		List: func(ctx context.Context, _ client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			return onServer.List(ctx, list, opts...)
		},
		Get: func(ctx context.Context, _ client.WithWatch, key client.ObjectKey, o client.Object,
			opts ...client.GetOption) error {
			return onServer.Get(ctx, key, o, opts...)
		},
		Create: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
			return r.recordWrite("create", func() error { return r.createMember(o) })
		},
	})
	r.restart()
	r.run(10 * time.Second)
	r.created, r.createdWhile, r.leastReady = 0, 0, len(r.ready)
	if len(r.ready) != int(size) {
		t.Fatalf("at first %d members are Ready", len(r.ready))
	}
	return r
}

// createMember takes its time, in which other things happen.
func (r *rush) createMember(o client.Object) error {
	created, ok := o.(*agentsv1beta1.Sandbox)
	if !ok {
		return fmt.Errorf("create %T", o)
	}
	r.created++
	if r.gate.Waiting() {
		r.createdWhile++
	}
	created.UID, created.CreationTimestamp = types.UID(created.Name), metav1.NewTime(r.clock.Now())
	name := created.Name
	r.change(created.DeepCopy())
	r.after(r.createTakes+startTime, func() {
		s := r.server[name].DeepCopy()
		markReady(s)
		r.change(s)
		r.ready = append(r.ready, name)
	})
	r.advance(r.clock.Now().Add(r.createTakes))
	if members := r.countMembers(); members > r.size {
		r.t.Errorf("%d members", members)
	}
	return nil
}

// countMembers counts the Sandboxes on the server that no claim has.
func (r *rush) countMembers() (count int) {
	for _, s := range r.server {
		if poolOf(s) != nil {
			count++
		}
	}
	return count
}

// change changes a Sandbox on the server, which the cache shows later, and which triggers a reconcile.
func (r *rush) change(s *agentsv1beta1.Sandbox) {
	r.server[s.Name] = s
	r.after(lag, func() {
		before := r.cache[s.Name]
		r.cache[s.Name] = s
		r.reconciler.memberChanged(context.Background(), objectOrNil(before), s, r.queue)
		r.passAfter(waits.MemberEvents)
	})
}

// objectOrNil returns an interface that is nil if the Sandbox is.
func objectOrNil(s *agentsv1beta1.Sandbox) client.Object {
	if s == nil {
		return nil
	}
	return s
}

func (r *rush) after(delay time.Duration, do func()) {
	r.events = append(r.events, rushEvent{r.clock.Now().Add(delay), do})
	slices.SortStableFunc(r.events, func(a, b rushEvent) int { return a.at.Compare(b.at) })
}

func (r *rush) passAfter(delay time.Duration) {
	if at := r.clock.Now().Add(delay); r.nextPass.IsZero() || at.Before(r.nextPass) {
		r.nextPass = at
	}
}

// advance lets everything happen until a time, except reconciles.
func (r *rush) advance(until time.Time) {
	for len(r.events) > 0 && !r.events[0].at.After(until) {
		event := r.events[0]
		r.events = r.events[1:]
		r.clock.SetTime(later(r.clock.Now(), event.at))
		event.do()
	}
	r.clock.SetTime(later(r.clock.Now(), until))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// run lets everything happen for a time.
func (r *rush) run(d time.Duration) {
	r.t.Helper()
	for end := r.clock.Now().Add(d); r.clock.Now().Before(end); {
		if r.nextPass.IsZero() || r.nextPass.After(end) {
			if len(r.events) == 0 || r.events[0].at.After(end) {
				r.advance(end)
				return
			}
			r.advance(r.events[0].at)
			continue
		}
		if len(r.events) > 0 && r.events[0].at.Before(r.nextPass) {
			r.advance(r.events[0].at)
			continue
		}
		r.clock.SetTime(later(r.clock.Now(), r.nextPass))
		r.nextPass = time.Time{}
		if again := r.passes(); again > 0 {
			r.passAfter(again)
		}
	}
}

// claims lets claims arrive at a rate per second for a time.
func (r *rush) claims(rate int, d time.Duration) {
	for i := range int(d.Seconds() * float64(rate)) {
		r.after(time.Duration(i)*time.Second/time.Duration(rate), func() { r.claim(types.UID(fmt.Sprint("claim-", i))) })
	}
}

// claim takes the oldest Ready member.
func (r *rush) claim(uid types.UID) {
	r.gate.ClaimArrived(uid)
	r.after(r.claimTakes, func() { r.gate.ClaimServed(uid) })
	if len(r.ready) == 0 {
		r.cold++
		return
	}
	name := r.ready[0]
	r.ready = r.ready[1:]
	r.leastReady = min(r.leastReady, len(r.ready))
	s := r.server[name].DeepCopy()
	s.OwnerReferences[0].Kind, s.OwnerReferences[0].UID = apis.KindSandboxClaim, uid
	delete(s.Labels, apis.LabelWarmPoolSandbox)
	r.change(s)
	r.after(lifetime, func() {
		delete(r.server, name)
		delete(r.cache, name)
	})
}

func TestAPoolKeepsUpWithClaims(t *testing.T) {
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		size                    int32
		rate                    int
		duration                time.Duration
		createTakes, claimTakes time.Duration
	}{
		"ten a second":    {size: 30, rate: 10, duration: time.Minute, createTakes: 15 * ms, claimTakes: 20 * ms},
		"twenty a second": {size: 100, rate: 20, duration: 20 * time.Second, createTakes: 15 * ms, claimTakes: 20 * ms},
		"as many as it can just create, one after the other": {
			size: 100, rate: 20, duration: 20 * time.Second, createTakes: 45 * ms, claimTakes: 20 * ms,
		},
		"twenty a second of which one always waits": {
			size: 100, rate: 20, duration: 20 * time.Second, createTakes: 15 * ms, claimTakes: time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRush(t, tt.size, tt.createTakes, tt.claimTakes)
			r.claims(tt.rate, tt.duration)
			r.run(tt.duration)
			t.Logf("at least %d of %d members were Ready, %d are; %d of %d were created while a claim waited", r.leastReady,
				tt.size, len(r.ready), r.createdWhile, r.created)
			if r.cold > 0 || r.leastReady == 0 {
				t.Errorf("it ran dry: %d claims found no member", r.cold)
			}
			r.run(5 * time.Second)
			if len(r.ready) != int(tt.size) {
				t.Errorf("5 s later %d members are Ready", len(r.ready))
			}
		})
	}
}

func TestABurstIsServedBeforeThePoolIsRefilled(t *testing.T) {
	r := newRush(t, 300, time.Millisecond, 20*time.Millisecond)
	r.claims(200, 1500*time.Millisecond)
	r.run(1490 * time.Millisecond)
	if r.cold != 0 || r.created != 0 {
		t.Errorf("%d claims found no member, %d members were created during the burst", r.cold, r.created)
	}
	r.run(5 * time.Second)
	if len(r.ready) != 300 {
		t.Errorf("5 s later %d members are Ready", len(r.ready))
	}
}
