// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/utils/clock"
)

// long is longer than any test takes.
const long = time.Hour

func runner(t *testing.T, killAfter time.Duration) *Runner {
	t.Helper()
	return NewRunner(t.TempDir(), killAfter, clock.RealClock{})
}

// text collects an output that other goroutines may read meanwhile.
type text struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (o *text) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.Write(data)
}

func (o *text) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}

func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !check() {
		select {
		case <-deadline:
			t.Fatal("not within 30 s: " + what)
		case <-tick.C:
		}
	}
}

// alive reports whether a process exists and is no zombie.
func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(status), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func pids(t *testing.T, output string) []int {
	t.Helper()
	var all []int
	for word := range strings.FieldsSeq(output) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("%q: %v", output, err)
		}
		all = append(all, pid)
	}
	return all
}

func shell(script string, stdout, stderr io.Writer) Command {
	return Command{Args: []string{"/bin/sh", "-c", script}, Stdout: stdout, Stderr: stderr}
}

func TestHowAProgramEnds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		script, stdout, stderr string
		code                   int
	}{
		"by itself":             {"echo out; echo err >&2", "out\n", "err\n", 0},
		"with an exit code":     {"exit 7", "", "", 7},
		"by a signal":           {"kill -KILL $$", "", "", 137},
		"by another signal":     {"kill -TERM $$", "", "", 143},
		"with its outputs shut": {"exec >&- 2>&-; exit 3", "", "", 3},
		"with an empty input":   {"cat; echo end", "end\n", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr text
			got, err := runner(t, long).Run(t.Context(), shell(row.script, &stdout, &stderr))
			if err != nil || got.Stopped != nil || got.ExitCode != row.code || stdout.String() != row.stdout ||
				stderr.String() != row.stderr {
				t.Errorf("%+v, %v, stdout %q, stderr %q", got, err, stdout.String(), stderr.String())
			}
		})
	}
}

func TestAProgramRunsInTheDirectory(t *testing.T) {
	t.Parallel()
	r := runner(t, long)
	if err := os.WriteFile(filepath.Join(r.directory, "script"), []byte("#!/bin/sh\npwd\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr text
	_, err := r.Run(t.Context(), Command{Args: []string{"./script"}, Stdout: &stdout, Stderr: &stderr})
	if want, wrong := filepath.EvalSymlinks(r.directory); err != nil || wrong != nil || stdout.String() != want+"\n" {
		t.Errorf("%q, %v, want %q, %v", stdout.String(), err, want, wrong)
	}
}

func TestWhyAProgramDoesNotStart(t *testing.T) {
	t.Parallel()
	r := runner(t, long)
	if err := os.WriteFile(filepath.Join(r.directory, "data"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		"no-such-program": "not found", "./data": "permission denied", "./nothing": "no such file", "a\x00b": "",
	} {
		_, err := r.Run(t.Context(), Command{Args: []string{program}, Stdout: io.Discard, Stderr: io.Discard, Stdin: nil})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", program, err)
		}
	}
	huge := []string{"echo", strings.Repeat("x", 4<<20)}
	if _, err := r.Run(t.Context(), Command{Args: huge, Stdout: io.Discard, Stderr: io.Discard}); err == nil {
		t.Error("an argument of 4 MiB")
	}
	cause := errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	got, err := r.Run(ctx, shell("touch started", io.Discard, io.Discard))
	if err != nil || !errors.Is(got.Stopped, cause) {
		t.Errorf("with a context that has ended: %+v, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(r.directory, "started")); err == nil {
		t.Error("it was started")
	}
	missing := Command{Args: []string{"/missing"}, Stdout: io.Discard, Stderr: io.Discard}
	if got, err := r.Run(ctx, missing); err != nil || !errors.Is(got.Stopped, cause) {
		t.Errorf("a program that cannot start, with a context that has ended: %+v, %v", got, err)
	}
}

func TestAProgramsInputReachesItWholeAndNeedNotBeRead(t *testing.T) {
	t.Parallel()
	input := strings.Repeat("0123456789", 100_000)
	var stdout text
	command := shell("cat", &stdout, io.Discard)
	command.Stdin = strings.NewReader(input)
	if _, err := runner(t, long).Run(t.Context(), command); err != nil || stdout.String() != input {
		t.Errorf("%d bytes of %d, %v", len(stdout.String()), len(input), err)
	}
	read, write := io.Pipe()
	command = shell("exec <&-; echo started; read x <go", &stdout, io.Discard)
	r := runner(t, long)
	gate := filepath.Join(r.directory, "go")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	command.Stdin = read
	done := make(chan error, 1)
	go func() { _, err := r.Run(t.Context(), command); done <- err }()
	if _, err := write.Write([]byte(input)); err != nil { // returns although nobody reads it
		t.Error(err)
	}
	if err := errors.Join(os.WriteFile(gate, []byte("\n"), 0), <-done, write.Close()); err != nil {
		t.Error(err)
	}
}

func TestTheWholeGroupIsStopped(t *testing.T) {
	t.Parallel()
	const soon = time.Millisecond
	const deaf = "(trap '' TERM; exec sh -c 'echo $$; exec sleep 1000')"
	const silent = "(trap '' TERM; exec sleep 1000 >&- 2>&-)"
	for name, row := range map[string]struct {
		script    string
		killAfter time.Duration
	}{
		"with SIGTERM":                                  {"sleep 1000 & echo $! $$; wait", long},
		"with SIGKILL what ignores SIGTERM":             {"trap '' TERM; sleep 1000 & echo $! $$; wait; wait", soon},
		"also what its leader has left behind":          {deaf + " & echo $$; wait", soon},
		"also after its leader, while an answer waits":  {"sleep 1000 & echo $!", soon},
		"also a part of it that has closed its outputs": {silent + " & echo $! $$; wait", soon},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout text
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("enough")
			var got Result
			var err error
			var run sync.WaitGroup
			run.Go(func() { got, err = runner(t, row.killAfter).Run(ctx, shell(row.script, &stdout, io.Discard)) })
			eventually(t, "its numbers", func() bool { return strings.HasSuffix(stdout.String(), "\n") })
			cancel(cause)
			run.Wait()
			if err != nil || !errors.Is(got.Stopped, cause) {
				t.Errorf("%+v, %v", got, err)
			}
			for _, pid := range pids(t, stdout.String()) {
				eventually(t, fmt.Sprintf("the end of process %d", pid), func() bool { return !alive(pid) })
			}
		})
	}
}

func TestAProgramMayCleanUpAfterSIGTERM(t *testing.T) {
	// The loops end with this process.
	const loop = "trap 'echo cleaned; exit 0' TERM; echo up; while kill -0 $PPID; do sleep 0.01; done"
	for name, script := range map[string]string{
		"the program":     loop,
		"what it started": "trap : TERM; (" + loop + ") & wait; wait",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout text
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var run sync.WaitGroup
			run.Go(func() { _, _ = runner(t, 20*time.Second).Run(ctx, shell(script, &stdout, io.Discard)) })
			eventually(t, "the start", func() bool { return stdout.String() == "up\n" })
			cancel()
			run.Wait()
			if stdout.String() != "up\ncleaned\n" {
				t.Errorf("%q", stdout.String())
			}
		})
	}
}

// TestAProgramThatDoesNotStartKeepsNothingOpen runs before those that are parallel, which open pipes, too.
func TestAProgramThatDoesNotStartKeepsNothingOpen(t *testing.T) {
	count := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := count()
	for range 50 {
		command := Command{Args: []string{"./nothing"}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
		if _, err := runner(t, long).Run(t.Context(), command); err == nil {
			t.Fatal("it starts")
		}
	}
	if after := count(); after > before+10 {
		t.Errorf("%d files are open, before it were %d", after, before)
	}
}
