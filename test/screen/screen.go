// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

// Package screen runs a program in a pseudo-terminal with a terminal emulator, so that tests see what a user sees.
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

// Screen is a program in a terminal. It is safe for concurrent use.
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

// Timeout is the timeout of Until. It allows for the start of a Pod on a node with two busy CPUs.
const Timeout = 90 * time.Second

// Esc is the key Esc as sent by terminals that distinguish it from the beginning of other keys' sequences.
const Esc = "\x1b[27u"

// Other terminals send only an escape character, which a program recognizes as the key by the pause after it.
const (
	escape      = "\x1b"
	escapePause = 120 * time.Millisecond
)

// Click returns what a terminal sends for a click of the left button on a cell. The first cell is 0, 0.
func Click(x, y int) string { return fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1) }

// Wheel returns what a terminal sends for one notch of the wheel.
func Wheel(x, y int, down bool) string {
	button := 64
	if down {
		button++
	}
	return fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1)
}

// Start runs the program in a terminal of the given size. The program is killed when the test ends.
func Start(t testing.TB, width, height int, cmd *exec.Cmd) *Screen {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := &Screen{
		t: t, cmd: cmd, terminal: ours, shell: theirs, ended: make(chan error, 1), emulator: vt.NewEmulator(width, height),
	}
	s.Resize(width, height)
	if s.before, err = term.GetState(int(theirs.Fd())); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.Env = append(os.Environ(), cmd.Env...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "NO_COLOR=")
	var shown sync.WaitGroup
	shown.Go(s.show)
	go func() { _, _ = io.Copy(ours, s.emulator) }() // the terminal's responses
	if err := start(cmd); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = theirs.Close()
		_ = ours.Close()
		// Closing the emulator would race with its reader and writer. Both end when the pipe of its responses is closed.
		if answers, is := s.emulator.InputPipe().(io.Closer); is {
			_ = answers.Close()
		}
		shown.Wait()
	})
	return s
}

// show copies the program's output to the emulator.
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

// Resize changes the size of the terminal.
func (s *Screen) Resize(width, height int) {
	s.t.Helper()
	s.mu.Lock()
	s.emulator.Resize(max(1, width), max(1, height))
	s.mu.Unlock()
	// sizes of tests
	if err := pty.Setsize(s.terminal, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
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

// Text returns the text on the screen.
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

// UntilTrue waits until wanted returns true for the text on the screen.
func (s *Screen) UntilTrue(what string, wanted func(screen string) bool) {
	s.t.Helper()
	s.Within(Timeout, what, wanted)
}

// Within is UntilTrue with another timeout.
func (s *Screen) Within(timeout time.Duration, what string, wanted func(screen string) bool) {
	s.t.Helper()
	late, look := time.After(timeout), time.NewTicker(20*time.Millisecond)
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
	case <-time.After(Timeout):
		s.t.Fatalf("the program does not end\n%s", s.Text())
		return nil
	}
}

// Left waits until the program has ended and the terminal is restored, which may need the program's last output.
func (s *Screen) Left() error {
	s.t.Helper()
	err := s.End()
	s.UntilTrue("the restored terminal", func(string) bool { return s.Restored() })
	return err
}

// Restored reports whether the terminal is in the same state as before the program.
func (s *Screen) Restored() bool {
	s.mu.Lock()
	alternate, hidden := s.emulator.IsAltScreen(), s.emulator.CursorHidden()
	s.mu.Unlock()
	now, err := term.GetState(int(s.shell.Fd()))
	return err == nil && *now == *s.before && !alternate && !hidden
}
