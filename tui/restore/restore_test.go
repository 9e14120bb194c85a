// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package restore_test

import (
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/agent-sandbox/kubectl-sandbox/tui/restore"
)

// watched is a terminal in raw mode with a running Wait.
type watched struct {
	screen, tty *os.File
	before      *term.State
	first       *io.PipeWriter // the first process
	ended       chan error
}

func watch(t *testing.T) *watched {
	t.Helper()
	w := &watched{ended: make(chan error, 1)}
	var err error
	if w.screen, w.tty, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.screen.Close(); _ = w.tty.Close() })
	if w.before, err = term.GetState(int(w.tty.Fd())); err != nil {
		t.Fatal(err)
	}
	in, first := io.Pipe()
	said, says := io.Pipe()
	w.first = first
	go func() { w.ended <- restore.Wait(in, says, w.tty) }()
	if word, err := io.ReadAll(io.LimitReader(said, int64(len("ready\n")))); string(word) != "ready\n" {
		t.Fatalf("said %q, %v", word, err)
	}
	if _, err := term.MakeRaw(int(w.tty.Fd())); err != nil {
		t.Fatal(err)
	}
	return w
}

// ends simulates the end of the first process, after it has written its last output.
func (w *watched) ends(t *testing.T, words string) {
	t.Helper()
	if _, err := io.WriteString(w.first, words); err != nil {
		t.Fatal(err)
	}
	if err := w.first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
}

func (w *watched) restored(t *testing.T) bool {
	t.Helper()
	now, err := term.GetState(int(w.tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(now, w.before)
}

// shown returns what was written to the terminal. It closes the program's end of the terminal.
func (w *watched) shown(t *testing.T) string {
	t.Helper()
	if err := w.tty.Close(); err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(w.screen) // it ends with an error when the other end is closed
	return string(text)
}

func TestADeathRestoresTheTerminalAndThenTellsItsWords(t *testing.T) {
	w := watch(t)
	w.ends(t, "panic: injected\n")
	if !w.restored(t) {
		t.Error("the terminal is as the dead process left it")
	}
	before, after, found := strings.Cut(w.shown(t), "panic: injected")
	if !found || !strings.Contains(before, "\x1b[?1049l") || !strings.Contains(before, "\x1b[?25h") ||
		strings.Contains(after, "\x1b[") {
		t.Errorf("told %q, then %q", before, after)
	}
}

func TestADeathWithoutAWordRestoresTheTerminalToo(t *testing.T) {
	w := watch(t)
	w.ends(t, "")
	if !w.restored(t) {
		t.Error("the terminal is as the dead process left it")
	}
}

func TestAnOrderlyEndIsLeftAlone(t *testing.T) {
	w := watch(t)
	w.ends(t, "done\n")
	if w.restored(t) {
		t.Error("the terminal was touched")
	}
	if got := w.shown(t); got != "" {
		t.Errorf("told %q", got)
	}
}
