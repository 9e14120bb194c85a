// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

func TestACopyGoesOnFiveTimesAndLaterEachTime(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	var warned []string
	p := &Retrier{Clock: clock, Warn: func(w string) { warned = append(warned, w) }}
	begun := clock.Now()
	for i := range maxRetries + 1 {
		answer := make(chan bool, 1)
		go func() { answer <- p.RetryAfter(t.Context(), &stream.LostError{}, 3<<20) }()
		for waiting := true; waiting; {
			select {
			case got := <-answer:
				if got != (i < maxRetries) {
					t.Errorf("time %d: %v", i, got)
				}
				waiting = false
			default:
				if clock.HasWaiters() {
					clock.Step(time.Second)
				}
			}
		}
	}
	if waited := clock.Since(begun); waited < 31*time.Second {
		t.Errorf("waited %v", waited)
	}
	if len(warned) != maxRetries || !strings.Contains(warned[0], "3.0 MiB have been copied; continuing (1 of 5)") {
		t.Errorf("warned %q", warned)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if (&Retrier{Clock: clock, Warn: func(string) {}}).RetryAfter(cancelled, errors.New("x"), 0) {
		t.Error("it retries although it was interrupted")
	}
}
