// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package process

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestABackgroundProcessHoldsUpNoAnswerAndLivesOn(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	_ = read.Close()
	for name, stdout := range map[string]io.Writer{"with a reader": io.Discard, "with a reader that is gone": write} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runner(t, long)
			var stderr text
			script := "(while kill -0 $PPID && echo more && echo more >>written; do sleep 0.01; done) 2>&- & echo $! >&2"
			got, err := r.Run(t.Context(), shell(script, stdout, &stderr))
			if err != nil || got.ExitCode != 0 || got.Stopped != nil {
				t.Fatalf("%+v, %v", got, err)
			}
			pid := pids(t, stderr.String())[0]
			t.Cleanup(func() { _ = unix.Kill(pid, unix.SIGKILL) })
			size := func() int64 {
				info, err := os.Stat(filepath.Join(r.directory, "written"))
				if err != nil {
					return 0
				}
				return info.Size()
			}
			// longer than the time for which an output is delivered after the end of its program
			enough := size() + 5*int64(2*settle/(10*time.Millisecond))
			eventually(t, "what it writes after the answer", func() bool { return size() > enough || !alive(pid) })
			if !alive(pid) {
				t.Error("it has ended")
			}
		})
	}
}

func TestWhatABackgroundProcessWritesAfterTheAnswerIsDiscarded(t *testing.T) {
	t.Parallel()
	r := runner(t, long)
	var stdout text
	if _, err := r.Run(t.Context(), shell("mkfifo gate; (echo early; read x <gate; echo late; touch wrote) &", &stdout,
		io.Discard)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.directory, "gate"), []byte("\n"), 0); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its write", func() bool { _, err := os.Stat(filepath.Join(r.directory, "wrote")); return err == nil })
	if stdout.String() != "early\n" {
		t.Errorf("the answer has %q", stdout.String())
	}
}

// slow blocks the first write until it is released.
type slow struct {
	text

	first   sync.Once
	started chan struct{}
	release chan struct{}
}

func (s *slow) Write(data []byte) (int, error) {
	s.first.Do(func() { close(s.started); <-s.release })
	return s.text.Write(data)
}

func TestASlowReaderGetsAllThatTheProgramWroteBeforeItEnded(t *testing.T) {
	t.Parallel()
	// At this time the deadline for background processes has passed long ago.
	r := NewRunner(t.TempDir(), long, clocktesting.NewFakeClock(time.Unix(1000, 0)))
	stdout := &slow{started: make(chan struct{}), release: make(chan struct{})}
	var stderr text
	var run sync.WaitGroup
	run.Go(func() {
		script := "echo $$ >&2; echo first; head -c 60000 /dev/zero; sleep 1000 & echo $! >&2"
		if got, err := r.Run(t.Context(), shell(script, stdout, &stderr)); err != nil || got.ExitCode != 0 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	<-stdout.started
	eventually(t, "its end", func() bool {
		all := strings.Fields(stderr.String())
		return len(all) == 2 && !alive(pids(t, all[0])[0])
	})
	t.Cleanup(func() { _ = unix.Kill(pids(t, stderr.String())[1], unix.SIGKILL) })
	close(stdout.release)
	run.Wait()
	if got := len(stdout.String()); got != 60006 {
		t.Errorf("%d bytes", got)
	}
}

func TestAWriterThatFailsBlocksNoProgram(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	_ = read.Close()
	got, err := runner(t, long).Run(t.Context(), shell("head -c 1000000 /dev/zero; exit 4", write, io.Discard))
	if err != nil || got.ExitCode != 4 {
		t.Errorf("%+v, %v", got, err)
	}
}
