// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package liveness_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
)

func TestWhatIsSilentIsAskedForAndWhatSpeaksIsNot(t *testing.T) {
	for name, test := range map[string]struct {
		beat   time.Duration // between two signs of life
		checks int           // in an hour
	}{
		"it speaks every minute": {beat: time.Minute},
		"it says nothing":        {beat: 2 * time.Hour, checks: 20},
		"it speaks now and then": {beat: 10*time.Minute + time.Second, checks: 15},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var pulse liveness.Pulse
				checks := 0
				ctx, stop := pulse.Attend(t.Context(), clock.RealClock{}, 3*time.Minute, func(context.Context) error {
					checks++
					return nil
				})
				out := pulse.Writer(io.Discard)
				ticker, over := time.NewTicker(test.beat), time.NewTimer(time.Hour+time.Second)
				defer ticker.Stop()
				for done := false; !done; {
					select {
					case <-ticker.C:
						_, _ = out.Write([]byte("x"))
					case <-over.C:
						done = true
					}
				}
				alive := ctx.Err() == nil
				stop()
				if checks != test.checks || !alive {
					t.Errorf("%d checks, alive: %v", checks, alive)
				}
			})
		})
	}
}

func TestWhatIsNotAliveEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pulse liveness.Pulse
		gone, started := errors.New("gone"), time.Now()
		ctx, stop := pulse.Attend(t.Context(), clock.RealClock{}, time.Minute, func(ctx context.Context) error {
			<-ctx.Done() // a check that hangs
			return gone
		})
		defer stop()
		<-ctx.Done()
		if took := time.Since(started); !errors.Is(context.Cause(ctx), gone) || took != 2*time.Minute {
			t.Errorf("got %v after %v", context.Cause(ctx), took)
		}
	})
}
