// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package fakeserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"

	utilexec "k8s.io/utils/exec"
)

// Local runs commands on this machine, in a directory that represents the container's. Only the named programs exist.
func Local(directory string, programs ...string) func(context.Context, Process) error {
	return func(ctx context.Context, process Process) error {
		if !slices.Contains(programs, process.Command[0]) {
			return fmt.Errorf("OCI runtime exec failed: exec failed: unable to start container process: "+
				"exec: %q: executable file not found in $PATH: unknown", process.Command[0])
		}
		command := exec.CommandContext(ctx, process.Command[0], process.Command[1:]...)
		command.Dir = directory
		lead(command)
		command.Stdout, command.Stderr = process.Stdout, process.Stderr
		// command.Stdin is not set: Wait would wait for its end, although the command may not read it.
		stdin, err := command.StdinPipe()
		if err != nil {
			return err
		}
		if err := command.Start(); err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(stdin, process.Stdin) // the command decides how much it reads
			_ = stdin.Close()
		}()
		err = command.Wait()
		if ended, ok := errors.AsType[*exec.ExitError](err); ok {
			return utilexec.CodeExitError{Err: err, Code: ended.ExitCode()}
		}
		return err
	}
}
