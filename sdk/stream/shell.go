// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"fmt"
	"io"
)

// NoShellError reports that a container's image has no known shell.
type NoShellError struct{ Container string }

// Error implements error.
func (e *NoShellError) Error() string {
	return fmt.Sprintf("container %s has neither bash nor sh: run a program of its image with exec instead", e.Container)
}

// Shell returns the shell of the container's image: bash, or else sh. It is probed first, because a shell started with
// the user's input could swallow some of it. The error is a *NoShellError, or that of Network.Exec.
func Shell(ctx context.Context, network Network, in Container) (string, error) {
	for _, shell := range []string{"bash", "sh"} {
		err := network.Exec(ctx, in, Process{Command: []string{shell, "-c", ":"}, Stdout: io.Discard})
		if !Missing(err) {
			return shell, err
		}
	}
	return "", &NoShellError{Container: in.Name}
}
