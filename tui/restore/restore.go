// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package restore restores the terminal when a process that changed it dies without restoring it itself: by an
// unhandled panic or by SIGKILL. A second process waits for the end of the first one.
//
// Invariants:
//   - the second process ends with the first one, however that ends;
//   - the output of a crash is written after the terminal is restored, so that it stays readable.
package restore

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

// The first process sends doneMessage after it has restored the terminal itself. The second one sends readyMessage
// after it has read the state of the terminal.
const (
	doneMessage  = "done\n"
	readyMessage = "ready\n"
)

// resetSequences leave the alternate screen, show the cursor, and turn off colours, the mouse, bracketed paste and
// extended keys.
const resetSequences = "\x1b[?1049l\x1b[?25h\x1b[0m" +
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[<u\x1b[>4;0m"

// Watch starts this program again with arguments that make it call Wait, and returns when the new process watches the
// terminal. The caller must call end after it has restored the terminal itself.
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
		err = awaitReady(said)
	}
	_ = said.Close() // there are no more messages
	if err != nil {
		_ = to.Close() // ends the watcher, if there is one
		return nil, fmt.Errorf("watch the terminal: %w", err)
	}
	if err := debug.SetCrashOutput(to, debug.CrashOptions{}); err != nil {
		_ = to.Close() // ends the watcher
		return nil, fmt.Errorf("watch the terminal: %w", err)
	}
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // closes its copy of the pipe
		_, _ = io.WriteString(to, doneMessage)              // fails only if the watcher is gone
		_ = to.Close()
		_ = watcher.Wait() // its exit code does not matter
	}, nil
}

func awaitReady(from io.Reader) error {
	word := make([]byte, len(readyMessage))
	if _, err := io.ReadFull(from, word); err != nil {
		return err
	}
	return nil
}

// Wait runs in the second process: it waits until the first one ends, and restores the terminal unless the first one
// has done so. In and out are the standard input and output of the second process, tty is the terminal.
func Wait(in io.Reader, out io.Writer, tty *os.File) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // they are meant for the first process
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, readyMessage); err != nil {
		return err
	}
	said, err := io.ReadAll(in)
	if err != nil || bytes.HasSuffix(said, []byte(doneMessage)) {
		return err
	}
	_, written := io.WriteString(tty, resetSequences)
	restored := term.Restore(int(tty.Fd()), before)
	_, told := tty.Write(said)
	return errors.Join(written, restored, told)
}
