// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
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
		{"waiting for CRDs is no illness, however long", time.Hour, func() {}, true},
		{"caches may take a while", 0, func() { served.Store(true) }, true},
		{"those of a large cluster take minutes", 5 * time.Minute, func() {}, true},
		{"up to the limit", waits.CacheSync - 5*time.Minute, func() {}, true},
		{"and no longer", time.Second, func() {}, false},
		{"in sync it lives", 0, func() { state = nil }, true},
		{"and the time starts anew", time.Hour, func() { state = outOfSync }, true},
		{"each time", waits.CacheSync + time.Second, func() {}, false},
	}
	for _, step := range steps {
		step.do()
		clk.SetTime(clk.Now().Add(step.after))
		if err := l.check(nil); (err == nil) != step.alive {
			t.Errorf("%s: %v", step.rule, err)
		}
	}
}

// The library ends a controller whose caches do not sync in time. The probe must not end the operator before.
func TestTheControllersWaitForTheCachesAsLongAsTheLivenessProbe(t *testing.T) {
	options, err := managerOptions(Defaults(), &rest.Config{}, &electionMonitor{}, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	if got := options.Controller.CacheSyncTimeout; got != waits.CacheSync {
		t.Errorf("the controllers wait %s, the liveness probe waits %s", got, waits.CacheSync)
	}
}
