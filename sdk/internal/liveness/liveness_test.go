// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package liveness_test

import (
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
)

func TestOnlyTimeInWhichSomebodyListensIsSilence(t *testing.T) {
	const period = 5 * time.Second
	type look struct {
		after          time.Duration
		reading, heard bool
	}
	for name, tt := range map[string]struct {
		looks []look
		want  time.Duration
	}{
		"nothing comes": {
			[]look{{period, true, false}, {period, true, false}, {period, true, false}}, 3 * period,
		},
		"something comes": {
			[]look{{period, true, false}, {period, true, true}, {period, true, false}}, period,
		},
		"nobody reads": {
			[]look{{period, true, false}, {period, false, false}, {period, false, false}}, 0,
		},
		"somebody reads again":                  {[]look{{time.Hour, false, false}, {period, true, false}}, period},
		"the machine has slept for an hour":     {[]look{{period, true, false}, {time.Hour, true, false}}, 3 * period},
		"what comes while it is read by nobody": {[]look{{period, false, true}, {period, true, false}}, period},
	} {
		t.Run(name, func(t *testing.T) {
			var s liveness.IdleTimer
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			s.Check(now, period)
			var got time.Duration
			for _, l := range tt.looks {
				now = now.Add(l.after)
				s.SetReading(l.reading)
				if l.heard {
					s.Reset()
				}
				got = s.Check(now, period)
			}
			if got != tt.want {
				t.Errorf("silent for %v, want %v", got, tt.want)
			}
		})
	}
}
