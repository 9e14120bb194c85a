// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestLiveness(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clk := clocktesting.NewFakePassiveClock(now)
	var served atomic.Bool
	outOfSync := errors.New("no sync")
	var state = outOfSync
	l := &liveness{clock: clk, served: &served, synced: func(*http.Request) error { return state }}
	steps := []struct {
		rule  string
		after time.Duration
		do    func()
		alive bool
	}{
		{"waiting for CRDs is no illness, however long", 10 * time.Minute, func() {}, true},
		{"caches may take a while", 0, func() { served.Store(true) }, true},
		{"up to the limit", syncPatience, func() {}, true},
		{"and no longer", time.Second, func() {}, false},
		{"in sync it lives", 0, func() { state = nil }, true},
		{"and the time starts anew", time.Hour, func() { state = outOfSync }, true},
		{"each time", syncPatience + time.Second, func() {}, false},
	}
	for _, step := range steps {
		step.do()
		clk.SetTime(clk.Now().Add(step.after))
		if err := l.check(nil); (err == nil) != step.alive {
			t.Errorf("%s: %v", step.rule, err)
		}
	}
}
