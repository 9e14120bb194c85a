// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

type answers func() (*http.Response, error)

func (a answers) RoundTrip(*http.Request) (*http.Response, error) { return a() }

func TestALeaderElectionThatHangsIsNoticed(t *testing.T) {
	clk := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	h := &electionMonitor{clock: clk}
	answer := error(nil)
	transport := h.wrapConfig(&rest.Config{}).WrapTransport(answers(func() (*http.Response, error) { return nil, answer }))
	ask := func() { _, _ = transport.RoundTrip(nil) } //nolint:bodyclose // there is none
	steps := []struct {
		rule  string
		after time.Duration
		do    func()
		alive bool
	}{
		{"one that has not begun is not dead", time.Hour, func() {}, true},
		{"it may be silent for a while", waits.ElectionSilence, ask, true},
		{"and no longer", time.Second, func() {}, false},
		{"an answer is life", 0, ask, true},
		{"an API server that is down is no reason to end", waits.ElectionSilence,
			func() { answer = errors.New("refused"); ask() }, true},
		{"each time", time.Second, func() {}, false},
	}
	for _, step := range steps {
		step.do()
		clk.SetTime(clk.Now().Add(step.after))
		if err := h.check(nil); (err == nil) != step.alive {
			t.Errorf("%s: %v", step.rule, err)
		}
	}
}
