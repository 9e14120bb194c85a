// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package events

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// world is a gate, a holder, a clock, and a recorder that remembers what it gets.
type world struct {
	t        *testing.T
	clock    *clocktesting.FakeClock
	gate     *claimsfirst.Gate
	holder   *Holder
	recorder events.EventRecorder

	mu  sync.Mutex
	got []string
}

// inWorld runs a test in a bubble: advance returns when the Holder has done what was due. If running, the Holder runs
// until stop is called.
func inWorld(t *testing.T, running bool, test func(w *world, stop func())) {
	synctest.Test(t, func(t *testing.T) {
		scheme := runtime.NewScheme()
		for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, agentsv1beta1.AddToScheme} {
			if err := add(scheme); err != nil {
				t.Fatal(err)
			}
		}
		clk := clocktesting.NewFakeClock(time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC))
		w := &world{t: t, clock: clk, gate: claimsfirst.New(clk)}
		w.holder = NewHolder(w.gate, scheme, clk)
		w.recorder = w.holder.Recorder(w)
		ctx, cancel := context.WithCancel(t.Context())
		if !running {
			cancel()
		}
		ended := make(chan struct{})
		start := func() {
			defer close(ended)
			if err := w.holder.Start(ctx); err != nil {
				t.Error(err)
			}
		}
		if running {
			go start()
		}
		stop := sync.OnceFunc(func() {
			cancel()
			if !running {
				start()
			}
			<-ended
		})
		defer stop()
		test(w, stop)
	})
}

// Eventf implements events.EventRecorder.
func (w *world) Eventf(regarding, related runtime.Object, eventType, reason, action, note string, args ...any) {
	text := fmt.Sprintf(note, args...)
	if ref, ok := regarding.(*corev1.ObjectReference); ok {
		text += fmt.Sprintf(" about %s %s", ref.Kind, ref.Name)
	}
	if ref, ok := related.(*corev1.ObjectReference); ok {
		text += fmt.Sprintf(" and %s %s", ref.Kind, ref.Name)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got = append(w.got, eventType+" "+reason+" "+action+": "+text)
}

func (w *world) record(eventType, note string) {
	w.recorder.Eventf(builders.Sandbox("a"), nil, eventType, "Reason", "Act", "%s", note)
}

func (w *world) advance(by time.Duration) {
	synctest.Wait()
	w.clock.Step(by)
	synctest.Wait()
}

// expect expects that these events were passed on, and no others.
func (w *world) expect(when string, want ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.got, want) {
		w.t.Errorf("%s: passed on %q, want %q", when, w.got, want)
	}
}

// normal is how a Normal event of record arrives.
func normal(note string) string { return "Normal Reason Act: " + note + " about Sandbox a" }

func TestWithoutClaimsAnEventIsPassedOnAtOnce(t *testing.T) {
	inWorld(t, true, func(w *world, _ func()) {
		w.recorder.Eventf(builders.Sandbox("a"), builders.Sandbox("b"), "Warning", "Reason", "Act", "%d %%", 3)
		w.expect("at once", "Warning Reason Act: 3 % about Sandbox a and Sandbox b")
	})
}

func TestWhileClaimsWaitEventsHoldAndThenFollowInOrder(t *testing.T) {
	inWorld(t, true, func(w *world, _ func()) {
		w.gate.ClaimArrived("claim")
		w.record("Normal", "first")
		w.record("Warning", "second")
		w.advance(time.Second)
		w.gate.ClaimServed("claim")
		w.record("Normal", "third") // no claim waits, but others were recorded before
		w.advance(999 * time.Millisecond)
		w.expect("before 2 s")
		w.advance(time.Millisecond)
		w.advance(5 * time.Millisecond)
		w.expect("after 2 s", normal("first"), "Warning Reason Act: second about Sandbox a", normal("third"))
		w.record("Normal", "fourth")
		w.advance(10 * time.Millisecond)
		w.expect("with nothing held", normal("first"), "Warning Reason Act: second about Sandbox a", normal("third"),
			normal("fourth"))
	})
}

func TestEventsArePassedOnAlthoughClaimsWaitWithoutEnd(t *testing.T) {
	inWorld(t, true, func(w *world, _ func()) {
		var want []string
		for i := range 300 {
			w.gate.ClaimArrived("claim")
			w.record("Normal", fmt.Sprint(i))
			want = append(want, normal(fmt.Sprint(i)))
		}
		w.advance(2 * time.Second)
		for step := range 160 {
			if step == 100 {
				w.gate.ClaimArrived("another")
			}
			w.advance(50 * time.Millisecond)
		}
		w.expect("after 10 s", want...)
	})
}

func TestWhatAnObjectBecomesAfterItsEventDoesNotChangeTheEvent(t *testing.T) {
	inWorld(t, true, func(w *world, _ func()) {
		w.gate.ClaimArrived("claim")
		sandbox, args := builders.Sandbox("a"), []string{"before"}
		w.recorder.Eventf(sandbox, nil, "Normal", "Reason", "Act", "%v", args)
		sandbox.Name, args[0] = "changed", "after"
		w.advance(2 * time.Second)
		w.expect("after 2 s", normal("[before]"))
	})
}

func TestAnEventWithoutAnObjectIsLeftToTheRecorder(t *testing.T) {
	inWorld(t, true, func(w *world, _ func()) {
		w.gate.ClaimArrived("claim")
		w.recorder.Eventf(nil, nil, "Normal", "Reason", "Act", "%s", "note")
		w.expect("at once", "Normal Reason Act: note")
	})
}

func TestTooManyEventsPassOnTheOldest(t *testing.T) {
	inWorld(t, true, func(w *world, _ func()) {
		w.holder.most = 2
		w.gate.ClaimArrived("claim")
		for _, note := range []string{"first", "second", "third"} {
			w.record("Normal", note)
		}
		w.expect("while claims wait", normal("first"))
		w.gate.ClaimServed("claim")
		w.advance(2 * time.Second)
		w.advance(10 * time.Millisecond)
		w.expect("after 2 s", normal("first"), normal("second"), normal("third"))
	})
}

func TestAtTheEndNothingIsHeld(t *testing.T) {
	for _, running := range []bool{true, false} {
		inWorld(t, running, func(w *world, stop func()) {
			w.gate.ClaimArrived("claim")
			w.record("Normal", "first")
			w.record("Normal", "second")
			stop()
			w.expect("when it ended", normal("first"), normal("second"))
			w.record("Normal", "late")
			w.expect("after the end", normal("first"), normal("second"), normal("late"))
			if w.clock.HasWaiters() {
				t.Error("a timer is left")
			}
		})
	}
}

// TestEventsOfManyRecorders is for the race detector, and counts that none is lost.
func TestEventsOfManyRecorders(t *testing.T) {
	inWorld(t, true, func(w *world, stop func()) {
		w.holder.most = 100
		w.gate.ClaimArrived("claim")
		var all sync.WaitGroup
		for range 8 {
			recorder := w.holder.Recorder(w)
			all.Go(func() {
				for range 100 {
					recorder.Eventf(builders.Sandbox("a"), nil, "Normal", "Reason", "Act", "note")
				}
			})
		}
		all.Go(func() {
			for range 100 {
				w.clock.Step(100 * time.Millisecond)
			}
		})
		all.Wait()
		stop()
		if len(w.got) != 800 {
			t.Errorf("%d of 800 events were passed on", len(w.got))
		}
	})
}
