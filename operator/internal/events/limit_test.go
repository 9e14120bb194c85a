// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package events

import (
	"fmt"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestANamespaceRecordsSoManyEventsAtOnceAndThenOneInEachInterval(t *testing.T) {
	clk := clocktesting.NewFakePassiveClock(time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC))
	limit := NewLimit(clk, 3, time.Second)
	for _, step := range []struct {
		namespace   string
		after       time.Duration
		asked, want int
	}{
		{"busy", 0, 5, 3},
		{"busy", 999 * time.Millisecond, 1, 0},
		{"busy", time.Millisecond, 2, 1},
		{"busy", 2500 * time.Millisecond, 5, 2},
		{"quiet", 0, 1, 1}, // what others use up does not count
		{"busy", time.Hour, 5, 3},
	} {
		clk.SetTime(clk.Now().Add(step.after))
		got := 0
		for range step.asked {
			if limit.Allow(step.namespace) {
				got++
			}
		}
		if got != step.want {
			t.Errorf("%s after %s: %d of %d events were recorded, want %d",
				step.namespace, step.after, got, step.asked, step.want)
		}
	}
}

func TestNamespacesWithoutRecentEventsAreForgotten(t *testing.T) {
	clk := clocktesting.NewFakePassiveClock(time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC))
	limit := NewLimit(clk, 100, time.Second)
	limit.Allow("first")
	for i := range 1000 {
		limit.Allow(fmt.Sprint(i))
	}
	for range 99 {
		limit.Allow("first")
	}
	clk.SetTime(clk.Now().Add(time.Minute))
	if limit.Allow("other"); len(limit.byNamespace) != 2 {
		t.Errorf("%d namespaces are remembered, want the one that used its events up, and the one that asks",
			len(limit.byNamespace))
	}
	for range 60 {
		limit.Allow("first")
	}
	if limit.Allow("first") {
		t.Error("to be forgotten gave a namespace events that it had used up")
	}
}
