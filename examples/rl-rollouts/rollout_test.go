// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

// box is a sandbox that counts the actions it has seen. Everything takes a time of its own.
type box struct {
	clock  *clocktesting.FakePassiveClock
	events []string
	seen   int
	// broken is the event that fails.
	broken string
	// prints replaces the output of commands.
	prints string
}

var errBroken = errors.New("it is broken")

func (b *box) event(name string, took time.Duration) error {
	b.events = append(b.events, name)
	b.clock.SetTime(b.clock.Now().Add(took))
	if name == b.broken {
		return errBroken
	}
	return nil
}

func (b *box) Run(_ context.Context, command ...string) (sdk.Result, error) {
	b.seen++
	result := sdk.Result{Stdout: []byte(b.prints)}
	if b.prints == "" {
		result.Stdout = fmt.Appendf(nil, "%d\n", b.seen)
	}
	if command[2] == "fail" {
		result.ExitCode, result.Stderr = 3, []byte("no such action")
	}
	return result, b.event("step", 40*time.Millisecond)
}

func (b *box) Suspend(context.Context) error { return b.event("suspend", time.Second) }
func (b *box) Resume(context.Context) error  { return b.event("resume", 2*time.Second) }
func (b *box) Close(context.Context) error   { return b.event("close", 0) }

// loopOf returns a loop of two turns in the box.
func loopOf(b *box) *loop {
	return &loop{
		clock: b.clock, turns: 2,
		claim: func(context.Context) (Sandbox, error) { return b, b.event("claim", 120*time.Millisecond) },
		model: func(_ context.Context, turn int) (string, error) {
			return fmt.Sprint("action ", turn), b.event("think", 3*time.Second)
		},
	}
}

func newBox() *box { return &box{clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0))} }

func TestASandboxIsSuspendedWhileTheModelThinks(t *testing.T) {
	b, out := newBox(), &strings.Builder{}
	if err := run(t.Context(), loopOf(b), 1, out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"claim", "suspend", "think", "resume", "step", "suspend", "think", "resume", "step", "close",
	}, b.events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := `PART      TIMES   MEDIAN   LONGEST
claim     1       120ms    120ms
suspend   2       1s       1s
think     2       3s       3s
resume    2       2s       2s
step      2       40ms     40ms
rollout 1: rewards [1 2]
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFailedRolloutDeletesItsSandboxAndSaysWhere(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*box, *loop)
		want   string
		events int // of the sandbox
	}{
		"the claim": {func(b *box, _ *loop) { b.broken = "claim" }, "claim: it is broken", 1},
		"suspending": {
			func(b *box, _ *loop) { b.broken = "suspend" }, "turn 1: suspend: it is broken", len("csx"),
		},
		"the model":  {func(b *box, _ *loop) { b.broken = "think" }, "turn 1: think: it is broken", len("cstx")},
		"resuming":   {func(b *box, _ *loop) { b.broken = "resume" }, "turn 1: resume: it is broken", len("cstrx")},
		"the action": {func(b *box, _ *loop) { b.broken = "step" }, "turn 1: step: it is broken", len("cstrax")},
		"an action with an exit code": {
			func(_ *box, l *loop) { l.model = func(context.Context, int) (string, error) { return "fail", nil } },
			`turn 1: step: "fail" ended with exit code 3: no such action`, len("csrax"),
		},
		"an action without a reward": {
			func(b *box, _ *loop) { b.prints = "what?" },
			`turn 1: step: "action 1" printed no reward: strconv.Atoi: parsing "what?": invalid syntax`, len("cstrax"),
		},
		"closing": {func(b *box, _ *loop) { b.broken = "close" }, "it is broken", len("cstrastrax")},
	} {
		t.Run(name, func(t *testing.T) {
			b, out := newBox(), &strings.Builder{}
			l := loopOf(b)
			tt.change(b, l)
			err := run(t.Context(), l, 1, out)
			if err == nil || err.Error() != tt.want || out.Len() > 0 {
				t.Errorf("got %v\nwant %s\n%s", err, tt.want, out)
			}
			if len(b.events) != tt.events || tt.events > 1 && b.events[len(b.events)-1] != "close" {
				t.Errorf("events %q", b.events)
			}
		})
	}
}

func TestTheFirstFailureEndsTheOtherRollouts(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	first := make(chan struct{}, 1)
	first <- struct{}{}
	l := loopOf(newBox())
	l.claim = func(ctx context.Context) (Sandbox, error) {
		both.Done()
		both.Wait()
		select {
		case <-first:
			return nil, errBroken
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := run(t.Context(), l, 2, &strings.Builder{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

func TestRolloutsAndTurnsAreCounted(t *testing.T) {
	l := loopOf(newBox())
	if err := run(t.Context(), l, 0, &strings.Builder{}); err == nil {
		t.Error("no rollouts are no error")
	}
	l.turns = 0
	if err := run(t.Context(), l, 1, &strings.Builder{}); err == nil {
		t.Error("no turns are no error")
	}
}
