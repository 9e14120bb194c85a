// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

// Package screen runs a program in a pseudo-terminal with an emulator behind it, so that tests see what a person would.
package screen

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// Screen is a program in a terminal. Its methods may be called by several goroutines.
type Screen struct {
	t        testing.TB
	cmd      *exec.Cmd
	terminal *os.File
	shell    *os.File
	before   *term.State
	ended    chan error

	mu       sync.Mutex
	emulator *vt.Emulator
}

// Patience is how long Until waits: what it waits for may include the start of a Pod on a node with two busy CPUs.
const Patience = 90 * time.Second

// Esc is the key Esc as terminals send it that can tell it from the beginning of another key's sequence.
const Esc = "\x1b[27u"

// Of other terminals a program learns it by the pause after it.
const (
	escape      = "\x1b"
	escapePause = 120 * time.Millisecond
)

// Click is what a terminal sends for the left button on a cell, the first of which is 0, 0.
func Click(x, y int) string { return fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1) }

// Wheel is what it sends for one notch of the wheel.
func Wheel(x, y int, down bool) string {
	button := 64
	if down {
		button++
	}
	return fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1)
}

// Start runs the program in a terminal of that size. The test's end ends it.
func Start(t testing.TB, width, height int, cmd *exec.Cmd) *Screen {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := &Screen{t: t, cmd: cmd, terminal: ours, shell: theirs, ended: make(chan error, 1), emulator: vt.NewEmulator(width, height)}
	s.Resize(width, height)
	if s.before, err = term.GetState(int(theirs.Fd())); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.Env = append(os.Environ(), cmd.Env...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "NO_COLOR=")
	var shown sync.WaitGroup
	shown.Go(s.show)
	go func() { _, _ = io.Copy(ours, s.emulator) }() // what the terminal answers
	if err := start(cmd); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = theirs.Close()
		_ = ours.Close()
		// To close the emulator itself would race with its reader and its writer; without the pipe of its answers both end.
		if answers, is := s.emulator.InputPipe().(io.Closer); is {
			_ = answers.Close()
		}
		shown.Wait()
	})
	return s
}

// show feeds the emulator.
func (s *Screen) show() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := s.terminal.Read(buffer)
		s.mu.Lock()
		_, _ = s.emulator.Write(buffer[:n]) // never fails
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Resize gives the terminal another size.
func (s *Screen) Resize(width, height int) {
	s.t.Helper()
	s.mu.Lock()
	s.emulator.Resize(max(1, width), max(1, height))
	s.mu.Unlock()
	if err := pty.Setsize(s.terminal, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil { // sizes of tests
		s.t.Fatal(err)
	}
}

// Type sends text, or the escape sequence of a key.
func (s *Screen) Type(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.terminal, text); err != nil {
		s.t.Fatal(err)
	}
	if strings.HasSuffix(text, escape) {
		<-time.After(escapePause)
	}
}

// Text is what is on the screen.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(s.emulator.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Until waits until all texts are on the screen.
func (s *Screen) Until(texts ...string) {
	s.t.Helper()
	s.UntilTrue(strings.Join(texts, "; "), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// UntilTrue waits until the screen is as wanted.
func (s *Screen) UntilTrue(what string, wanted func(screen string) bool) {
	s.t.Helper()
	s.Within(Patience, what, wanted)
}

// Within is UntilTrue with another patience.
func (s *Screen) Within(patience time.Duration, what string, wanted func(screen string) bool) {
	s.t.Helper()
	late, look := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer look.Stop()
	for !wanted(s.Text()) {
		select {
		case <-look.C:
		case <-late:
			s.t.Fatalf("never on the screen: %s\n%s", what, s.Text())
		}
	}
}

// End waits until the program has ended.
func (s *Screen) End() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	case <-time.After(Patience):
		s.t.Fatalf("it does not end\n%s", s.Text())
		return nil
	}
}

// Left waits until the program has ended and the terminal is as it was before: what it wrote last may still be on its way.
func (s *Screen) Left() error {
	s.t.Helper()
	err := s.End()
	s.UntilTrue("the restored terminal", func(string) bool { return s.Restored() })
	return err
}

// Ended says whether the program has ended.
func (s *Screen) Ended() bool {
	select {
	case err := <-s.ended:
		s.ended <- err
		return true
	default:
		return false
	}
}

// Restored says whether the terminal is as it was before the program.
func (s *Screen) Restored() bool {
	s.mu.Lock()
	alternate, hidden := s.emulator.IsAltScreen(), s.emulator.CursorHidden()
	s.mu.Unlock()
	now, err := term.GetState(int(s.shell.Fd()))
	return err == nil && *now == *s.before && !alternate && !hidden
}
