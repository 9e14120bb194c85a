// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"errors"
	"testing"
)

func TestAnOperatorDiesAtTheWriteAndBeforeOrAfterIt(t *testing.T) {
	for name, tt := range map[string]struct {
		n, writes, done int
		after, killed   bool
	}{
		"before the second of three": {n: 2, writes: 3, done: 1, killed: true},
		"after the second of three":  {n: 2, writes: 3, done: 2, after: true, killed: true},
		"after the end":              {n: 4, writes: 3, done: 3, after: true},
	} {
		done := 0
		run := func(intercept Interceptor) {
			for range tt.writes {
				_ = intercept("write", func() error { done++; return nil })
			}
		}
		if killed := Killed(func() { run(KillAt(tt.n, tt.after)) }); killed != tt.killed || done != tt.done {
			t.Errorf("%s: killed %t, %d writes done", name, killed, done)
		}
		done = 0
		intercept, died := CutOff(tt.n, tt.after)
		if run(intercept); died() != tt.killed || done != tt.done {
			t.Errorf("%s, in parallel: killed %t, %d writes done", name, died(), done)
		}
	}
}

func TestOtherPanicsPassThrough(t *testing.T) {
	other := errors.New("other")
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, other) {
			t.Errorf("got %v", err)
		}
	}()
	Killed(func() { panic(other) })
}
