// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"
)

var errBroken = errors.New("broken")

func again(error) Verdict { return Verdict{Again: true} }

func TestSixAttemptsAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, tries := time.Now(), 0
		err := Do(t.Context(), clock.RealClock{}, func() error { tries++; return errBroken }, again)
		exhausted, ok := errors.AsType[*ExhaustedError](err)
		if !ok || exhausted.Attempts != 6 || tries != 6 || !errors.Is(err, errBroken) {
			t.Errorf("got %v after %d attempts", err, tries)
		}
		// 0.5 + 1 + 2 + 4 + 8 seconds, a quarter more or less.
		if took := time.Since(started); took < 11625*time.Millisecond || took > 19375*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

func TestWhatSucceedsOrIsInVainIsNotRepeated(t *testing.T) {
	for name, test := range map[string]struct {
		fails int // attempts that fail
		again int // of which may be repeated
		tries int
		err   bool
	}{
		"success":                        {tries: 1},
		"success in the third attempt":   {fails: 2, again: 2, tries: 3},
		"in vain":                        {fails: 6, tries: 1, err: true},
		"in vain from the second one on": {fails: 6, again: 1, tries: 2, err: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				err := Do(t.Context(), clock.RealClock{}, func() error {
					if tries++; tries <= test.fails {
						return errBroken
					}
					return nil
				}, func(error) Verdict { return Verdict{Again: tries <= test.again} })
				if tries != test.tries || (err != nil) != test.err {
					t.Errorf("got %v after %d attempts", err, tries)
				}
			})
		})
	}
}

func TestThePauseEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		started, tries := time.Now(), 0
		err := Do(ctx, clock.RealClock{}, func() error { tries++; return errBroken },
			func(error) Verdict { return Verdict{Again: true, After: time.Hour} })
		if !errors.Is(err, errBroken) || !errors.Is(err, context.DeadlineExceeded) || tries != 1 ||
			time.Since(started) != time.Second {
			t.Errorf("got %v after %d attempts and %v", err, tries, time.Since(started))
		}
	})
}

func TestTheRemoteEndMayAskForALongerPauseButNotForAnyPause(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		10 * time.Second: 10 * time.Second, time.Hour: maxAskedPause,
	} {
		synctest.Test(t, func(t *testing.T) {
			started, tries := time.Now(), 0
			err := Do(t.Context(), clock.RealClock{}, func() error {
				if tries++; tries == 2 {
					return nil
				}
				return errBroken
			}, func(error) Verdict { return Verdict{Again: true, After: asked} })
			if took := time.Since(started); err != nil || took != want {
				t.Errorf("asked for %v: got %v after %v", asked, err, took)
			}
		})
	}
}

func TestPausesDoubleWithinLimits(t *testing.T) {
	for n, whole := range map[int]time.Duration{1: firstPause, 2: 2 * firstPause, 5: 16 * firstPause, 6: maxPause} {
		if least, most := pause(n, 0), pause(n, 1); least != whole*3/4 || most != whole*5/4 {
			t.Errorf("after %d attempts: %v to %v", n, least, most)
		}
	}
}
