// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package run_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func TestACommandWhoseTimeIsOverIsEndedAndItsSandboxDeleted(t *testing.T) {
	for _, way := range []string{"api-server", "router"} {
		t.Run(way, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Now())
			var ended atomic.Bool
			begun := make(chan struct{})
			takesLong := func(ctx context.Context) {
				close(begun)
				<-ctx.Done()
				ended.Store(true)
			}
			w := newWorld(t, func(ctx context.Context, p streamfake.Process) error {
				if strings.Contains(strings.Join(p.Command, " "), "/proc/") {
					ended.Store(true) // it ends the processes
					return nil
				}
				takesLong(ctx)
				return nil
			})
			w.withRouter(t, "agent-sandbox-system", func(answer http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_ = http.NewResponseController(answer).Flush()
				takesLong(r.Context())
			})
			w.factory.Time = clock
			go func() {
				<-begun
				clock.Step(time.Second)
			}()
			_, errOut, err := w.run(t.Context(), "", "--template", "t", "--name", "dev", "--via", way, "-i=false",
				"--command-timeout", "1s", "--", "sleep", "100")
			if cli.ExitCode(err) != cli.ExitTimeout || !strings.Contains(err.Error(), "was not done after 1s and was ended") {
				t.Errorf("code %d (%v), stderr %q", cli.ExitCode(err), err, errOut)
			}
			over := func(context.Context) (bool, error) { return ended.Load(), nil }
			if err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 30*time.Second, true, over); err != nil {
				t.Error("the command goes on")
			}
			if left := w.left(t); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
