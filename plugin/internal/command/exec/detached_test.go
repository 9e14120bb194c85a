// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package exec_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/exec"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/logs"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/wait"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func TestADetachedCommandIsFollowedAndWaitedFor(t *testing.T) {
	f, _ := cluster(t, streamfake.Local(t.TempDir(), "sh"))
	const script = `echo "$A one"; while [ ! -e go ]; do sleep 0.1; done; echo two >&2; printf three; exit 7`
	out, errOut, err := call(t, f, exec.NewCommand, "", "dev", "-d", "-e", "A=a", "--", "sh", "-c", script)
	if err != nil || errOut != "" {
		t.Fatalf("%v, %q", err, errOut)
	}
	name := strings.TrimSpace(out)
	t.Cleanup(func() { _ = os.RemoveAll("/tmp/.kubectl-sandbox/" + name) }) // the fake container is this machine
	if _, _, err := call(t, f, wait.NewCommand, "", "dev", "--exec", name, "--timeout", "100ms"); cli.ExitCode(err) !=
		cli.ExitTimeout {
		t.Errorf("before the end: %v", err)
	}
	followed := make(chan string)
	go func() {
		out, _, err := call(t, f, logs.NewCommand, "", "dev", "--exec", name, "-f")
		if err != nil {
			t.Error(err)
		}
		followed <- out
	}()
	if _, _, err := call(t, f, exec.NewCommand, "", "dev", "--", "sh", "-c", "touch go"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := call(t, f, wait.NewCommand, "", "dev", "--exec", name); cli.ExitCode(err) != 7 || err.Error() != "" {
		t.Errorf("waited: %v", err)
	}
	const all = "a one\ntwo\nthree"
	if got := <-followed; got != all {
		t.Errorf("followed %q", got)
	}
	for tail, want := range map[string]string{"-1": all, "2": "two\nthree", "0": ""} {
		if out, _, err := call(t, f, logs.NewCommand, "", "dev", "--exec", name, "--tail="+tail); err != nil || out != want {
			t.Errorf("--tail %s: %v, %q", tail, err, out)
		}
	}
}

func TestWhatADetachedCommandCannotDo(t *testing.T) {
	tests := map[string]struct {
		command newCommand
		args    []string
		code    int
		said    string
	}{
		"have a terminal": {exec.NewCommand, []string{"dev", "-dt", "--", "x"}, cli.ExitUsage, "--tty"},
		"have input":      {exec.NewCommand, []string{"dev", "-di", "--", "x"}, cli.ExitUsage, "--stdin"},
		"be ended": {
			exec.NewCommand, []string{"dev", "-d", "--timeout", "1s", "--", "x"}, cli.ExitUsage, "--timeout",
		},
		"be shown of several": {logs.NewCommand, []string{"dev", "off", "--exec", "x"}, cli.ExitUsage, "give one NAME"},
		"be shown since":      {logs.NewCommand, []string{"dev", "--exec", "x", "--since", "1m"}, cli.ExitUsage, "--since"},
		"have any name":       {logs.NewCommand, []string{"dev", "--exec", "../x"}, cli.ExitUsage, "exec --detach printed"},
		"become ready": {
			wait.NewCommand, []string{"dev", "--exec", "x", "--for", "ready"}, cli.ExitUsage, "leave out --for",
		},
		"be shown if there is none": {
			logs.NewCommand, []string{"dev", "--exec", "no-such"}, cli.ExitFailed,
			"container main of dev: there is no such command",
		},
		"be waited for if there is none": {
			wait.NewCommand, []string{"dev", "--exec", "no-such"}, cli.ExitFailed, "there is no such command",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, _ := cluster(t, streamfake.Local(t.TempDir(), "sh"))
			_, _, err := call(t, f, tt.command, "", tt.args...)
			if cli.ExitCode(err) != tt.code || !strings.Contains(err.Error(), tt.said) {
				t.Errorf("code %d, %v", cli.ExitCode(err), err)
			}
		})
	}
}

func TestADetachedCommandNeedsAShell(t *testing.T) {
	f, _ := cluster(t, streamfake.Local(t.TempDir()))
	_, _, err := call(t, f, exec.NewCommand, "", "dev", "-d", "--", "x")
	if cli.ExitCode(err) != cli.ExitNotFound || !strings.Contains(err.Error(), "needs sh in the image") {
		t.Errorf("got %v", err)
	}
}
