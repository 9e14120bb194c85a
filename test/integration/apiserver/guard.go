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

// cleanupScript waits until its input is closed, which happens however the test process ends, and then kills the
// recorded processes and removes the directory. It retries rm, because a killed process may write a file after rm has
// listed it.
const cleanupScript = `cat >/dev/null
for file in "$1"/*.pid; do [ -e "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null; done
for try in 1 2 3 4 5 6 7 8 9; do rm -rf "$1" 2>/dev/null && exit; sleep 0.2; done
rm -rf "$1"`

// recordScript is a script that writes its process ID to a file and then executes the program.
const recordScript = "#!/bin/sh\necho $$ > '%s'\nexec '%s' \"$@\"\n"

// guard is a process that cleans up after the test process ends. envtest cannot do so when a test panics or times out.
type guard struct {
	dir   string
	input io.Closer
	cmd   *exec.Cmd
}

func newGuard(dir string) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", cleanupScript, "guard", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not reach the guard
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the cleanup process: %w", err)
	}
	return &guard{dir: dir, input: input, cmd: cmd}, nil
}

// wrapProgram returns a script that runs the program and records its process ID for the guard.
func (g *guard) wrapProgram(program string) (string, error) {
	name := filepath.Base(program)
	script := filepath.Join(g.dir, name)
	text := fmt.Sprintf(recordScript, script+".pid", program)
	return script, os.WriteFile(script, []byte(text), 0o700) //nolint:gosec // it is a program
}

// stop kills the recorded processes. A test's data needs no graceful stop, which takes the API server many seconds.
func (g *guard) stop() error {
	return errors.Join(g.input.Close(), g.cmd.Wait())
}
