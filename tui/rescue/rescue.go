// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rescue restores the terminal when a process that had changed it dies without doing so: by a panic in a goroutine
// that nobody looks after, or by SIGKILL. A second process waits for that.
//
// Invariants:
//   - the second process ends with the first, however that ends;
//   - what a crash wrote is told after the terminal was restored, where it can be read.
package rescue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"
)

// farewell is what the first process says when it has put everything in order itself; ready is what the second one says
// once it knows how the terminal was.
const (
	farewell = "done\n"
	ready    = "ready\n"
)

// sane leaves the alternate screen, shows the cursor, and turns off colours, the mouse, bracketed paste and extended keys.
const sane = "\x1b[?1049l\x1b[?25h\x1b[0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[<u\x1b[>4;0m"

// Watch starts this program again with the arguments, which must lead to Wait, and returns when it watches the terminal. End
// must be called when the terminal is as it was.
func Watch(tty *os.File, arguments ...string) (end func(), err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	said, says, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, from.Close(), to.Close())
	}
	watcher := exec.Command(program, arguments...)
	watcher.Stdin, watcher.Stdout, watcher.Stderr = from, says, tty
	err = watcher.Start()
	_ = from.Close() // these ends are the watcher's; it has its own copies
	_ = says.Close()
	if err == nil {
		err = hear(said)
	}
	_ = said.Close() // nothing more is said
	if err != nil {
		_ = to.Close() // ends the watcher, if there is one
		return nil, fmt.Errorf("watch over the terminal: %w", err)
	}
	if err := debug.SetCrashOutput(to, debug.CrashOptions{}); err != nil {
		_ = to.Close() // ends the watcher
		return nil, fmt.Errorf("watch over the terminal: %w", err)
	}
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // closes its copy of the pipe
		_, _ = io.WriteString(to, farewell)                 // if it cannot be told, it is gone
		_ = to.Close()
		_ = watcher.Wait() // that it ends is all that matters
	}, nil
}

func hear(from io.Reader) error {
	word := make([]byte, len(ready))
	if _, err := io.ReadFull(from, word); err != nil {
		return err
	}
	return nil
}

// Wait is the second process: it waits until the first one ends, and restores the terminal unless that did it itself. In and
// out are its standard input and output, tty the terminal.
func Wait(in io.Reader, out io.Writer, tty *os.File) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // they are meant for the first process
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, ready); err != nil {
		return err
	}
	said, err := io.ReadAll(in)
	if err != nil || bytes.HasSuffix(said, []byte(farewell)) {
		return err
	}
	_, written := io.WriteString(tty, sane)
	restored := term.Restore(int(tty.Fd()), before)
	_, told := tty.Write(said)
	return errors.Join(written, restored, told)
}
