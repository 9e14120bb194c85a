// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"
)

func TestLeavingDoesNotWaitForWhatSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, asleep := time.Now(), make(chan struct{})
		g := &guard{cancel: func(error) {}}
		g.run(func() { <-asleep })
		g.wait(clock.RealClock{})
		if took := time.Since(began); took != shutdownTimeout {
			t.Errorf("it took %s", took)
		}
		close(asleep)
		g.wait(clock.RealClock{})
		if took := time.Since(began); took != shutdownTimeout {
			t.Errorf("with nothing left to wait for it took %s", took)
		}
	})
}
