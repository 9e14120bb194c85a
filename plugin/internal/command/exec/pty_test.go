// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package exec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/exec"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// terminal is a pseudo-terminal on which a command runs.
type terminal struct {
	*testing.T
	keyboard, tty *os.File
	before        string

	mu     sync.Mutex
	screen bytes.Buffer
	news   chan struct{}
}

func newTerminal(t *testing.T, columns, rows uint16) *terminal {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{T: t, keyboard: keyboard, tty: tty, news: make(chan struct{}, 1)}
	term.resize(columns, rows)
	term.before = term.state()
	// tty stays open, because a reader that still waits for keys may use it for a moment longer.
	t.Cleanup(func() { _ = keyboard.Close() })
	go func() { _, _ = io.Copy(term, keyboard) }()
	return term
}

// Write implements io.Writer. It adds output to the screen.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case t.news <- struct{}{}:
	default: // a reader is notified already
	}
	return t.screen.Write(p)
}

func (t *terminal) shows(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Contains(t.screen.String(), text)
}

// await waits until the text has appeared.
func (t *terminal) await(text string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !t.shows(text) {
		select {
		case <-t.news:
		case <-limit:
			t.Fatalf("%q does not appear; the screen shows %q", text, t.screen.String())
		}
	}
}

func (t *terminal) press(keys string) {
	t.Helper()
	if _, err := io.WriteString(t.keyboard, keys); err != nil {
		t.Fatal(err)
	}
}

func (t *terminal) resize(columns, rows uint16) {
	t.Helper()
	if err := pty.Setsize(t.tty, &pty.Winsize{Cols: columns, Rows: rows}); err != nil {
		t.Fatal(err)
	}
}

// state returns the mode of the terminal.
func (t *terminal) state() string {
	t.Helper()
	state, err := term.GetState(int(t.tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", *state)
}

// start runs exec on the terminal and returns a channel that receives its error.
func (t *terminal) start(ctx context.Context, f *fake.Factory) chan error {
	cmd := exec.NewCommand(f, genericiooptions.IOStreams{In: t.tty, Out: t.tty, ErrOut: t.tty})
	cmd.SetArgs([]string{"dev", "--", "program"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	over := make(chan error, 1)
	go func() { over <- cmd.ExecuteContext(ctx) }()
	return over
}

func (t *terminal) end(over chan error) error {
	t.Helper()
	select {
	case err := <-over:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("it does not end; the screen shows %q", t.screen.String())
		return nil
	}
}

func onBoth(t *testing.T, test func(t *testing.T, onlySPDY bool)) {
	t.Helper()
	t.Run("WebSocket", func(t *testing.T) { test(t, false) })
	t.Run("SPDY", func(t *testing.T) { test(t, true) })
}

func TestFirstSizeIsRightAndResizesAreFollowed(t *testing.T) {
	onBoth(t, func(t *testing.T, onlySPDY bool) {
		f, server := cluster(t, func(_ context.Context, p streamfake.Process) error {
			for size := range p.Sizes {
				_, _ = fmt.Fprintf(p.Stdout, "%dx%d\r\n", size.Width, size.Height)
				if size.Width == 50 {
					return nil
				}
			}
			return nil
		})
		server.OnlySPDY = onlySPDY
		screen := newTerminal(t, 123, 45)
		over := screen.start(t.Context(), f)
		screen.await("123x45")
		screen.resize(50, 20)
		if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
			t.Fatal(err)
		}
		screen.await("50x20")
		if err := screen.end(over); err != nil {
			t.Error(err)
		}
	})
}

func TestEveryKeyReachesTheRemoteEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, onlySPDY bool) {
		f, server := cluster(t, func(_ context.Context, p streamfake.Process) error {
			_, _ = io.WriteString(p.Stdout, "ready")
			keys := make([]byte, 6)
			if _, err := io.ReadFull(p.Stdin, keys); err != nil {
				return err
			}
			_, err := fmt.Fprintf(p.Stdout, "got %x", keys)
			return err
		})
		server.OnlySPDY = onlySPDY
		screen := newTerminal(t, 80, 24)
		over := screen.start(t.Context(), f)
		screen.await("ready")
		screen.press("\x10\x11\x03\x1a\x04\x7f") // Ctrl-P, Ctrl-Q, Ctrl-C, Ctrl-Z, Ctrl-D, Backspace
		screen.await("got 1011031a047f")
		if err := screen.end(over); err != nil {
			t.Error(err)
		}
	})
}

func TestTerminalIsRestoredAfterEveryKindOfEnd(t *testing.T) {
	type surroundings struct {
		screen *terminal
		server *streamfake.Server
		cancel context.CancelFunc
	}
	hang := func(s *surroundings, act func(*surroundings)) func(context.Context, streamfake.Process) error {
		return func(ctx context.Context, p streamfake.Process) error {
			_, _ = io.WriteString(p.Stdout, "ready")
			s.screen.await("ready")
			act(s)
			<-ctx.Done()
			return nil
		}
	}
	tests := map[string]struct {
		end  error // of the command
		act  func(*surroundings)
		code int
		said string
	}{
		"success":      {code: 0},
		"an exit code": {end: ended(3), code: 3},
		"a program that is missing": {
			end:  errors.New(`exec failed: exec: "program": executable file not found in $PATH`),
			code: cli.ExitNotFound, said: "not found",
		},
		"a connection that was cut":   {act: func(s *surroundings) { s.server.Cut() }, code: 255, said: "lost"},
		"a connection that was reset": {act: func(s *surroundings) { s.server.Reset() }, code: 255, said: "lost"},
		"a signal":                    {act: func(s *surroundings) { s.cancel() }, code: 130},
		"Enter ~ . in a session that hangs": {
			act: func(s *surroundings) { s.screen.press("\r~.") }, code: 255, said: "may still be running",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, onlySPDY bool) {
				s := &surroundings{screen: newTerminal(t, 80, 24)}
				run := func(context.Context, streamfake.Process) error { return tt.end }
				if tt.act != nil {
					run = hang(s, tt.act)
				}
				f, server := cluster(t, run)
				server.OnlySPDY, s.server = onlySPDY, server
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s.cancel = cancel
				err := s.screen.end(s.screen.start(ctx, f))
				if code := cli.ExitCode(err); code != tt.code ||
					tt.said != "" && (err == nil || !strings.Contains(err.Error(), tt.said)) {
					t.Errorf("code %d, %v", code, err)
				}
				if after := s.screen.state(); after != s.screen.before {
					t.Errorf("the terminal was  %s\nand is afterwards %s", s.screen.before, after)
				}
			})
		})
	}
}

func TestTerminalIsRestoredAfterARefusal(t *testing.T) {
	f, server := cluster(t, nil)
	server.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(
			w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no"}`,
		)
		return true
	}
	screen := newTerminal(t, 80, 24)
	if err := screen.end(screen.start(t.Context(), f)); cli.ExitCode(err) != cli.ExitFailed {
		t.Errorf("got %v", err)
	}
	if after := screen.state(); after != screen.before {
		t.Error("the terminal is not restored")
	}
}
