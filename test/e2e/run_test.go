// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestRunLeavesNothingBehindHoweverItIsEnded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	// Child processes inherit an ignored SIGHUP, for example from nohup. While this process catches the signal, they
	// have its default action.
	hungUp := make(chan os.Signal, 1)
	signal.Notify(hungUp, syscall.SIGHUP)
	signals := func(all ...syscall.Signal) func(*exec.Cmd, io.Closer) error {
		return func(command *exec.Cmd, _ io.Closer) error {
			for _, sig := range all {
				if err := command.Process.Signal(sig); err != nil {
					return err
				}
			}
			return nil
		}
	}
	tests := map[string]struct {
		name  string
		flags []string
		end   func(*exec.Cmd, io.Closer) error
		code  int
		lives time.Duration // how long its sandbox lives at most
	}{
		"its output is cut off, as by head -1": {name: "piped", end: func(_ *exec.Cmd, out io.Closer) error {
			return out.Close()
		}, code: 141, lives: time.Hour},
		"its terminal closes, which it hears twice": {
			name: "hung", end: signals(syscall.SIGHUP, syscall.SIGHUP), code: 130, lives: time.Hour,
		},
		"it is killed": {
			name: "killed", flags: []string{"--ttl", "30s"}, end: signals(syscall.SIGKILL), code: -1, lives: 30 * time.Second,
		},
	}
	for how, tt := range tests {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			h := h.In(t)
			command := exec.CommandContext(t.Context(), harness.RequireEnv("E2E_PLUGIN"), append(append([]string{
				"-n", h.Namespace, "run", "--image", harness.ImageShell, "--name", tt.name,
			}, tt.flags...), "--", "sh", "-c", "while echo working; do usleep 100000; done")...)
			var stderr bytes.Buffer
			command.Stderr = &stderr
			out, err := command.StdoutPipe()
			if err == nil {
				err = command.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, 8)); err != nil {
				t.Errorf("no output: %v", err) // the error below includes stderr, which is complete only after Wait
			}
			var made agentsv1beta1.Sandbox
			if !h.Get(tt.name, &made) || made.Spec.ShutdownPolicy == nil || *made.Spec.ShutdownPolicy != "Delete" ||
				made.Spec.ShutdownTime == nil ||
				time.Until(made.Spec.ShutdownTime.Time) > tt.lives {
				t.Errorf("the Sandbox does not expire in time: %+v", made.Spec.Lifecycle)
			}
			if err := tt.end(command, out); err != nil {
				t.Error(err)
			}
			_ = command.Wait() // the exit code is checked below
			if code := command.ProcessState.ExitCode(); code != tt.code || t.Failed() ||
				code == 141 && strings.Contains(stderr.String(), "Error") {
				t.Errorf("exit code %d, %s", code, stderr.String())
			}
			h.Gone(tt.name, &agentsv1beta1.Sandbox{})
		})
	}
}

func TestRunEndsACommandWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	r := h.Plugin("run", "--image", harness.ImageShell, "--name", "timed", "-q", "--command-timeout", "3s", "--",
		"sh", "-c", "echo begun; sleep 1000")
	if r.Code != 124 || r.Stdout != "begun\n" ||
		r.Stderr != "Error: the command was not done after 3s and was ended\n" {
		t.Errorf("%v", r)
	}
	h.Gone("timed", &agentsv1beta1.Sandbox{})
}
