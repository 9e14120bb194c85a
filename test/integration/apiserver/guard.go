// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// cleanup waits until its input ends, which it does when the test process ends in whatever way, and leaves nothing behind.
// A killed process may write a file after rm has listed the directory, so rm gets more than one chance.
const cleanup = `cat >/dev/null
for file in "$1"/*.pid; do [ -e "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null; done
for try in 1 2 3 4 5 6 7 8 9; do rm -rf "$1" 2>/dev/null && exit; sleep 0.2; done
rm -rf "$1"`

// record writes down a program's process id and becomes the program.
const record = "#!/bin/sh\necho $$ > '%s'\nexec '%s' \"$@\"\n"

// guard is a process that outlives ours by a moment. envtest cannot stop anything when a test panics or times out.
type guard struct {
	dir   string
	input io.Closer
	cmd   *exec.Cmd
}

func newGuard(dir string) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", cleanup, "guard", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the tests, not for who tidies up after them
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the process that tidies up: %w", err)
	}
	return &guard{dir: dir, input: input, cmd: cmd}, nil
}

// watched returns a program that is the given one, but known to the guard.
func (g *guard) watched(program string) (string, error) {
	name := filepath.Base(program)
	script := filepath.Join(g.dir, name)
	text := fmt.Sprintf(record, script+".pid", program)
	return script, os.WriteFile(script, []byte(text), 0o700) //nolint:gosec // it is a program
}

// end kills what is watched. State of a test needs no graceful stop, which takes the API server many seconds.
func (g *guard) end() error {
	return errors.Join(g.input.Close(), g.cmd.Wait())
}
