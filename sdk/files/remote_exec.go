// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// run runs a command with little output. The error contains its standard error.
func (c *Copier) run(ctx context.Context, command []string, out io.Writer) error {
	return c.exec(ctx, stream.Process{Command: command, Stdout: out}, &stderrTail{})
}

// transferOutput runs a command that transfers the content of files.
func (c *Copier) transferOutput(ctx context.Context, command []string, in io.Reader, out io.Writer) error {
	return c.exec(ctx, stream.Process{Command: command, Stdin: in, Stdout: out, Bulk: true}, &stderrTail{})
}

// failureMarker is printed by a failed command before it reads the rest of its input.
const failureMarker = tempPrefix + "failed"

// sendInput runs a command with much input. If the image has a shell, a command that fails does not receive the rest.
func (c *Copier) sendInput(ctx context.Context, shell bool, command []string, in *io.PipeReader, out io.Writer) error {
	said := &stderrTail{}
	var known atomic.Bool
	if shell {
		command = append([]string{"sh", "-c", compose(runDrainingScript), failureMarker}, command...)
		said.failed = func() {
			known.Store(true)
			_ = in.CloseWithError(errStopped)
		}
	}
	err := c.exec(ctx, stream.Process{Command: command, Stdin: in, Stdout: out, Bulk: true}, said)
	if _, lost := errors.AsType[*stream.LostError](err); lost && known.Load() {
		// the marker arrived before the connection was lost
		return &commandError{program: command[0], message: said.String(), exit: &stream.ExitError{Code: 1}}
	}
	return err
}

func (c *Copier) exec(ctx context.Context, process stream.Process, said *stderrTail) error {
	if process.Stdout == nil {
		process.Stdout = io.Discard
	}
	process.Stderr = said
	err := c.network.Exec(ctx, c.container, process)
	if bound := limitError(err); bound != nil {
		return bound
	}
	if ended, ok := errors.AsType[*stream.ExitError](err); ok {
		return &commandError{program: process.Command[0], message: said.String(), exit: ended}
	}
	return err
}

// commandError is the error of a remote command that ran and failed.
type commandError struct {
	program, message string
	exit             *stream.ExitError
}

// Error implements error.
func (e *commandError) Error() string {
	if e.message == "" {
		return fmt.Sprintf("%s in the sandbox ended with exit code %d", e.program, e.exit.Code)
	}
	return e.message
}

// Unwrap returns the exit code's error.
func (e *commandError) Unwrap() error { return e.exit }

// stderrTail keeps the end of a command's standard error.
type stderrTail struct {
	tail   bytes.Buffer // not embedded: io.Copy would use its ReadFrom
	failed func()       // called when the failure marker arrives; may be nil
}

// Write implements io.Writer.
func (l *stderrTail) Write(p []byte) (int, error) {
	n, err := l.tail.Write(p)
	if l.failed != nil && bytes.Contains(l.tail.Bytes(), []byte(failureMarker+"\n")) {
		l.failed()
	}
	if over := l.tail.Len() - maxStderr; over > 0 {
		l.tail.Next(over)
	}
	return n, err
}

// String returns the text in one line.
func (l *stderrTail) String() string {
	said := strings.ReplaceAll(l.tail.String(), failureMarker+"\n", "")
	return strings.Join(strings.FieldsFunc(said, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
