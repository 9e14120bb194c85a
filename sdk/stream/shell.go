// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"fmt"
	"io"
)

// NoShellError says that a container's image has no shell that we know.
type NoShellError struct{ Container string }

// Error implements error.
func (e *NoShellError) Error() string {
	return fmt.Sprintf("container %s has neither bash nor sh: run a program of its image with exec instead", e.Container)
}

// Shell returns the shell that the container's image has: bash, or else sh. It is asked for before it is used, because one
// that is tried with the user's input could swallow some of it. Its error is a *NoShellError, or one of Network.Exec.
func Shell(ctx context.Context, network Network, in Container) (string, error) {
	for _, shell := range []string{"bash", "sh"} {
		err := network.Exec(ctx, in, Process{Command: []string{shell, "-c", ":"}, Stdout: io.Discard})
		if !Missing(err) {
			return shell, err
		}
	}
	return "", &NoShellError{Container: in.Name}
}
