// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package exec_test

import (
	"context"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/exec"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func TestTheProcessIsWhatTheFlagsSay(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("A=file\nB=file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "a dir", "-"), 0o700); err != nil {
		t.Fatal(err)
	}
	printAll := []string{"--", "sh", "-c", `pwd; echo "$A|$B|$1"`, "x", "it's"}
	tests := map[string]struct {
		args []string
		out  string
		code int
		said string
	}{
		"nothing is changed without flags": {args: printAll, out: home + "\n||it's\n"},
		"a directory":                      {args: append([]string{"-w", "/"}, printAll...), out: "/\n||it's\n"},
		"a directory below the container's": {
			args: append([]string{"--workdir", "a dir"}, printAll...), out: home + "/a dir\n||it's\n",
		},
		"a directory that looks like an option": {
			args: append([]string{"-w", "a dir/-"}, printAll...), out: home + "/a dir/-\n||it's\n",
		},
		"variables with any characters": {
			args: append([]string{"-e", "A=$(id) `id` 'x\"", "--env=B=--"}, printAll...),
			out:  home + "\n$(id) `id` 'x\"|--|it's\n",
		},
		"a file of variables, and one that overrules it": {
			args: append([]string{"--env-file", file, "-e", "B=flag"}, printAll...), out: home + "\nfile|flag|it's\n",
		},
		"the user that the container has": {
			args: append([]string{"-u", me.Uid, "-e", "A=1"}, printAll...), out: home + "\n1||it's\n",
		},
		"a directory that is not there is 126": {args: append([]string{"-w", "/nope"}, printAll...), code: cli.ExitCannotRun},
		"a program that is not there is 127": {
			args: []string{"-e", "A=1", "--", "no-such-program"}, code: cli.ExitNotFound,
		},
		"a user that is not there is 126": {
			args: append([]string{"-u", "no-such-user"}, printAll...), code: cli.ExitCannotRun,
		},
		"a user with a group is refused": {
			args: append([]string{"-u", "a:b"}, printAll...), code: cli.ExitUsage, said: "give the user alone",
		},
		"a user that is none is refused": {
			args: append([]string{"-u", "a b"}, printAll...), code: cli.ExitUsage, said: "neither the name nor the number",
		},
		"a variable without a value is refused": {
			args: append([]string{"-e", "NO_SUCH_VARIABLE"}, printAll...), code: cli.ExitUsage, said: "use NAME=VALUE",
		},
		"a negative time is refused": {
			args: append([]string{"--timeout=-1s"}, printAll...), code: cli.ExitUsage, said: "cannot be negative",
		},
		"input for what takes none is refused": {
			args: append([]string{"-i", "--no-stdin"}, printAll...), code: cli.ExitUsage, said: "do not go together",
		},
		"no input is passed on request": {args: []string{"--no-stdin", "--", "sh", "-c", "wc -c"}, out: "0\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, _ := cluster(t, streamfake.Local(home, "sh"))
			out, _, err := call(t, f, exec.NewCommand, "input", append([]string{"dev"}, tt.args...)...)
			if strings.TrimLeft(out, " ") != tt.out || cli.ExitCode(err) != tt.code {
				t.Errorf("got %q, code %d (%v)", out, cli.ExitCode(err), err)
			}
			if tt.said != "" && (err == nil || !strings.Contains(err.Error(), tt.said)) {
				t.Errorf("error: %v, want %q in it", err, tt.said)
			}
		})
	}
}

func TestAnImageWithoutAShellIsToldSo(t *testing.T) {
	f, _ := cluster(t, streamfake.Local(t.TempDir()))
	_, _, err := call(t, f, exec.NewCommand, "", "dev", "-w", "/", "--", "ls")
	if cli.ExitCode(err) != cli.ExitNotFound || !strings.Contains(err.Error(), "need sh in the image") {
		t.Errorf("got %v", err)
	}
}

func TestACommandWhoseTimeIsOverIsEndedWithWhatItStarted(t *testing.T) {
	home := t.TempDir()
	f, _ := cluster(t, streamfake.Local(home, "sh"))
	clock := clocktesting.NewFakeClock(time.Now())
	f.Time = clock
	exists := func(name string) wait.ConditionWithContextFunc {
		return func(context.Context) (bool, error) {
			_, err := os.Stat(filepath.Join(home, name))
			return err == nil, nil
		}
	}
	go func() {
		_ = wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 30*time.Second, true, exists("started"))
		clock.Step(time.Second)
	}()
	// The child writes the file "child" when it is ended, because its parent is a shell that waits for it.
	const script = `(trap 'touch child; exit' TERM; touch started; while :; do sleep 0.1; done) & wait; touch parent`
	_, _, err := call(t, f, exec.NewCommand, "", "dev", "--timeout", "1s", "--no-stdin", "--", "sh", "-c", script)
	if cli.ExitCode(err) != cli.ExitTimeout ||
		!strings.Contains(err.Error(), "was not done after 1s and was ended") {
		t.Errorf("got %v", err)
	}
	err = wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 30*time.Second, true, exists("child"))
	if err != nil {
		t.Error("the child was not ended")
	}
	if left, err := exists("parent")(t.Context()); left || err != nil {
		t.Errorf("the command went on, %v", err)
	}
}

func TestACommandThatIsDoneInTimeKeepsItsExitCode(t *testing.T) {
	f, _ := cluster(t, streamfake.Local(t.TempDir(), "sh"))
	out, _, err := call(t, f, exec.NewCommand, "", "dev", "--timeout", "1h", "--", "sh", "-c", "echo done; exit 3")
	if out != "done\n" || cli.ExitCode(err) != 3 {
		t.Errorf("got %q, %v", out, err)
	}
}
