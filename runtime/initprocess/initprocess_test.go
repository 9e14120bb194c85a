// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package initprocess

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const script = "INITPROCESS_SCRIPT"

// TestMain is process 1 in the processes that the tests start: orphans below it become its children.
func TestMain(m *testing.M) {
	text := os.Getenv(script)
	if text == "" {
		os.Exit(m.Run())
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	code, err := Run("/bin/sh", []string{"sh", "-c", text})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 99
	}
	os.Exit(code)
}

func under(t *testing.T, text string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(self)
	program.Env = append(os.Environ(), script+"="+text)
	program.Stderr = os.Stderr
	program.WaitDelay = time.Minute
	t.Cleanup(func() { _ = program.Process.Kill() })
	return program
}

func code(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err == nil {
		return 0
	}
	return exit.ExitCode()
}

func TestTheExitCodeIsThatOfTheChild(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"exit 0": 0, "exit 7": 7, "kill -KILL $$": 137, "kill -TERM $$": 143,
		// the code of the child, not of an orphan that ends before it
		"(sh -c 'exit 3' &); sleep 0.1; exit 5": 5,
	} {
		if got := code(t, under(t, text).Run()); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// orphans makes 200 orphans that end at about the same time, and waits until none of them is left, not even a zombie.
const orphans = `
all=$(i=0; while [ $i -lt 200 ]; do sh -c 'sleep 0.2 >/dev/null & echo $!'; i=$((i+1)); done)
for pid in $all; do while [ -e /proc/$pid ]; do sleep 0.01; done; done
echo $all | wc -w
`

func TestOrphansAreReaped(t *testing.T) {
	t.Parallel()
	out, err := under(t, orphans).Output()
	if err != nil || strings.TrimSpace(string(out)) != "200" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestSignalsArePassedOn(t *testing.T) {
	t.Parallel()
	for name, number := range map[string]unix.Signal{
		"TERM": unix.SIGTERM, "INT": unix.SIGINT, "HUP": unix.SIGHUP, "USR1": unix.SIGUSR1, "QUIT": unix.SIGQUIT,
	} {
		program := under(t, "trap 'exit 42' "+name+"; echo ready; while kill -0 $PPID; do sleep 0.01; done")
		out, err := program.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if err := program.Process.Signal(number); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, out)
		if got := code(t, program.Wait()); got != 42 {
			t.Errorf("after %s: %d", name, got)
		}
	}
}

func TestAProgramThatDoesNotStartIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := Run("/no/such/program", []string{"x"}); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Error(err)
	}
}
