// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func TestRun(t *testing.T) {
	tests := map[string]struct {
		do   func(context.Context, streamfake.Process) error
		args []string
		out  string
		code int
		said string // on stderr or in the error
		// quiet says that nothing is printed on stderr.
		quiet bool
		left  int
	}{
		"a claim is made, used and deleted": {
			do:   echo,
			args: []string{"--template", "t", "--", "cat", "-n"},
			out:  "cat -n < input",
		},
		"a Sandbox is made, used and deleted": {
			do:   echo,
			args: []string{"--image", "x", "--", "cat"},
			out:  "cat < input",
		},
		"a pool serves too": {
			do:   echo,
			args: []string{"--pool", "p", "--", "cat"},
			out:  "cat < input",
		},
		"no input is passed on request": {do: echo, args: []string{"--pool", "p", "--no-stdin", "--", "cat"}, out: "cat < "},
		"input is passed on or not": {
			args: []string{"--pool", "p", "-i", "--no-stdin", "--", "cat"}, code: cli.ExitUsage, said: "do not go together",
		},
		"the exit code is passed on without a word": {do: fails, args: []string{"--template", "t", "--", "x"}, code: 42},
		"what is kept stays, and is named": {
			do:   echo,
			args: []string{"--template", "t", "--name", "dev", "--keep", "--", "x"},
			out:  "x < input",
			said: "claim/dev stays; to delete it: kubectl sandbox delete claim/dev --yes",
			left: 1,
		},
		"what is not removed stays": {
			do:   fails,
			args: []string{"--image", "x", "--name", "dev", "--rm=false", "--", "x"},
			code: 42,
			said: "sandbox/dev stays",
			left: 1,
		},
		"-q tells nothing of what the user can know": {
			do:    echo,
			args:  []string{"--template", "t", "--name", "dev", "--keep", "-q", "--", "x"},
			out:   "x < input",
			quiet: true,
			left:  1,
		},
		"a generated name is told even so": {
			do:   echo,
			args: []string{"--template", "t", "--keep", "-q", "--", "x"},
			out:  "x < input",
			said: "stays; to delete it: kubectl sandbox delete claim/run-",
			left: 1,
		},
		"what is detached has no time limit of its own": {
			do:   echo,
			args: []string{"--template", "t", "-d", "--command-timeout", "1s", "--", "x"},
			code: cli.ExitUsage,
			said: "use --ttl",
		},
		"a time limit is not negative": {
			do:   echo,
			args: []string{"--template", "t", "--command-timeout=-1s", "--", "x"},
			code: cli.ExitUsage,
			said: "cannot be negative",
		},
		"a command that is done in time keeps its exit code": {
			do:   streamfake.Local(t.TempDir(), "sh"),
			args: []string{"--template", "t", "--command-timeout", "1h", "--", "sh", "-c", "exit 3"},
			code: 3,
		},
		"input can be kept from the command": {
			do:   echo,
			args: []string{"--template", "t", "-i=false", "--", "cat"},
			out:  "cat < ",
		},
		"a program that is missing is a clear error": {
			do:   streamfake.Local(t.TempDir()),
			args: []string{"--template", "t", "--", "nope"},
			code: cli.ExitNotFound,
			said: "the command could not be started",
		},
		"a container that is missing leaves no claim": {
			do:   echo,
			args: []string{"--template", "t", "-c", "nope", "--", "x"},
			code: cli.ExitFailed,
			said: "it has: main",
		},
		"what is detached stays, and its name is printed": {
			do:   echo,
			args: []string{"--template", "t", "--name", "dev", "-d", "--", "x"},
			out:  "dev\n",
			left: 1,
		},
		"what cannot be started detached is deleted": {
			do:   streamfake.Local(t.TempDir()),
			args: []string{"--template", "t", "-d", "--", "x"},
			code: cli.ExitNotFound,
			said: "needs sh in the image",
		},
		"what is detached has no terminal": {
			do:   echo,
			args: []string{"--template", "t", "-dt", "--", "x"},
			code: cli.ExitUsage,
			said: "--detach goes together with none of",
		},
		"a command is needed": {
			do:   echo,
			args: []string{"--template", "t"},
			code: cli.ExitUsage,
			said: "COMMAND is missing",
		},
		"a source is needed": {
			do:   echo,
			args: []string{"--", "x"},
			code: cli.ExitUsage,
			said: "--image, --template or --pool is missing",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.do)
			out, errOut, err := w.run(t.Context(), "input", tt.args...)
			if out != tt.out || cli.ExitCode(err) != tt.code {
				t.Errorf("got %q, code %d (%v)", out, cli.ExitCode(err), err)
			}
			if told := errOut + fmt.Sprint(err); !strings.Contains(told, tt.said) {
				t.Errorf("told %q, want %q", told, tt.said)
			}
			if tt.quiet && errOut != "" {
				t.Errorf("told %q", errOut)
			}
			if left := w.left(t); len(left) != tt.left {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAnInterruptDeletesTheSandbox(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	w := newWorld(t, func(ctx context.Context, _ streamfake.Process) error {
		interrupt()
		<-ctx.Done()
		return nil
	})
	_, _, err := w.run(ctx, "", "--template", "t", "--", "sleep", "100")
	if err == nil || len(w.left(t)) > 0 {
		t.Errorf("%v, left behind: %v", err, w.left(t))
	}
}

func TestRunHoldsItsSandboxWhileTheCommandRuns(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	var w *world
	end := func(ctx context.Context) time.Time {
		claims := w.cluster.Sandboxes.ExtensionsV1beta1().SandboxClaims(builders.Namespace)
		claim, err := claims.Get(ctx, "dev", metav1.GetOptions{})
		if err != nil || claim.Spec.Lifecycle == nil || claim.Spec.Lifecycle.ShutdownTime == nil {
			return time.Time{}
		}
		return claim.Spec.Lifecycle.ShutdownTime.Time
	}
	w = newWorld(t, func(ctx context.Context, _ streamfake.Process) error {
		before, looks := end(ctx), 0
		return wait.PollUntilContextTimeout(
			ctx,
			time.Millisecond,
			10*time.Second,
			true,
			func(ctx context.Context) (bool, error) {
				if looks%1000 == 0 { // once, unless the deadline keeper is late
					clock.Step(20 * time.Minute)
				}
				looks++
				return end(ctx).After(before), nil
			},
		)
	})
	w.factory.Time = clock
	if _, errOut, err := w.run(t.Context(), "", "--template", "t", "--name", "dev", "--", "x"); err != nil {
		t.Errorf("its end stays where it was: %v, %s", err, errOut)
	}
}

func TestALostConnectionIs255AndDeletesTheSandbox(t *testing.T) {
	var w *world
	w = newWorld(t, func(ctx context.Context, _ streamfake.Process) error {
		w.server.Cut()
		<-ctx.Done()
		return nil
	})
	if _, _, err := w.run(t.Context(), "", "--template", "t", "--", "sleep", "100"); cli.ExitCode(
		err,
	) != cli.ExitConnectionLost ||
		len(w.left(t)) > 0 {
		t.Errorf("code %d (%v), left behind: %v", cli.ExitCode(err), err, w.left(t))
	}
}

func TestWhatIsNeverReadyIsDeleted(t *testing.T) {
	w := newWorld(t, echo)
	w.cluster.Sandboxes.ReactionChain = w.cluster.Sandboxes.ReactionChain[1:] // there is no operator
	if _, _, err := w.run(t.Context(), "", "--template", "t", "--timeout", "0", "--", "x"); cli.ExitCode(
		err,
	) != cli.ExitTimeout ||
		len(w.left(t)) > 0 {
		t.Errorf("code %d (%v), left behind: %v", cli.ExitCode(err), err, w.left(t))
	}
}

func TestADeletionThatFailsIsToldAndHidesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(context.Context, streamfake.Process) error
		code int
		said string
	}{
		"of a command that is done": {
			do: echo, code: cli.ExitFailed, said: "the command is done, but its sandbox is still there",
		},
		"of a command that failed": {do: fails, code: 42, said: "Warning: claim/dev is still there"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.do)
			w.cluster.Refuse("delete", "*", errors.New("not now"))
			_, errOut, err := w.run(t.Context(), "", "--template", "t", "--name", "dev", "--", "x")
			if told := errOut + fmt.Sprint(err); cli.ExitCode(err) != tt.code || !strings.Contains(told, tt.said) ||
				!strings.Contains(told, "delete claim/dev --yes") {
				t.Errorf("code %d, told %q", cli.ExitCode(err), told)
			}
		})
	}
}
