// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

func TestACopyGoesOnFiveTimesAndLaterEachTime(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	var warned []string
	p := &retrier{clock: clock, warn: func(w string) { warned = append(warned, w) }}
	begun := clock.Now()
	for i := range maxRetries + 1 {
		answer := make(chan bool, 1)
		go func() { answer <- p.retryAfter(t.Context(), &stream.LostError{}, 3<<20) }()
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
	if (&retrier{clock: clock, warn: func(string) {}}).retryAfter(cancelled, errors.New("x"), 0) {
		t.Error("it retries although it was interrupted")
	}
}

func TestWhatALostCopySays(t *testing.T) {
	lost := fmt.Errorf("x: %w", &stream.LostError{})
	f := &fake.Factory{In: "team", InGiven: true}
	tests := map[string]struct {
		options Options
		err     error
		left    string
		code    int
		want    string
	}{
		"with the command that resumes": {
			Options{Source: "my file", Destination: "dev:/w/x", Container: "side"}, lost, "/w/.kubectl-sandbox-1",
			cli.ExitConnectionLost,
			"what has arrived is in dev:/w/.kubectl-sandbox-1; the copy is incomplete; to continue it: " +
				"kubectl sandbox cp 'my file' dev:/w/x --resume -c side -n team",
		},
		"a copy of a stream is not resumed": {
			Options{Source: "-", Destination: "dev:/w/x"}, lost, "", cli.ExitConnectionLost, "the copy is incomplete",
		},
		"an interrupted copy says where the arrived part is": {
			Options{Source: "dev:/w/x", Destination: "y"}, context.Canceled, "./.kubectl-sandbox-1", cli.ExitInterrupted,
			"arrived is in ./.kubectl-sandbox-1",
		},
		"any other failure exits with 1": {
			Options{Source: "dev:/w/x", Destination: "y"}, errors.New("full"), "", cli.ExitFailed, "copy dev:/w/x to y: full",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := tt.options.Validate(); err != nil {
				t.Fatal(err)
			}
			err := tt.options.failure(tt.err, tt.left, f)
			if cli.ExitCode(err) != tt.code || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("%d: %v", cli.ExitCode(err), err)
			}
		})
	}
}
