// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
)

func TestCode(t *testing.T) {
	plain, timeout := errors.New("no"), &await.TimeoutError{Name: "dev", Goal: await.Ready, After: time.Second}
	tests := map[string]struct {
		err  error
		want int
	}{
		"no error is done": {err: nil, want: 0},
		"an error that nobody classified is a failure": {err: plain, want: 1},
		"wrong usage is 2":                    {err: cli.UsageError(plain), want: 2},
		"a wait that took too long is 124":    {err: fmt.Errorf("create: %w", timeout), want: 124},
		"a marked timeout is 124":             {err: cli.TimeoutError(plain), want: 124},
		"an interrupt is 130":                 {err: fmt.Errorf("wait: %w", context.Canceled), want: 130},
		"a remote code is passed on":          {err: cli.RemoteExitError(42), want: 42},
		"a remote success is no error":        {err: cli.RemoteExitError(0), want: 0},
		"a lost connection is 255":            {err: cli.ConnectionLostError(plain), want: 255},
		"several of one kind keep their code": {err: errors.Join(timeout, timeout), want: 124},
		"several kinds are a failure":         {err: errors.Join(timeout, cli.UsageError(plain)), want: 1},
		"what is wrong in several ways":       {err: cli.UsageError(errors.Join(plain, plain)), want: 2},
		"usage of nothing is no error":        {err: cli.UsageError(nil), want: 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := cli.ExitCode(tt.err); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
