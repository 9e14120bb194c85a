// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// ErrNeedsTar is the error for a directory and an image that has no tar.
var ErrNeedsTar = errors.New("the image has no tar, which copying a directory needs: use an image that has it, or copy file by file")

// Options change how a Copier copies.
type Options struct {
	// Warn is told about what could not be copied although the rest was. Nil tells nobody.
	Warn func(string)
	// Progress is kept up to date, if it is not nil.
	Progress *Progress
	// Resume goes on with what an earlier copy of the same left when it was cut.
	Resume bool
	// Again is asked when the connection of a copy was lost that can be gone on with, or could not be made again after that: with why, and how
	// many bytes have passed. If it returns true, the copy goes on. Nil never does.
	Retry func(ctx context.Context, why error, done int64) bool
}

// Copier copies between this machine and one container. It does one copy at a time.
type Copier struct {
	network      stream.Network
	container    stream.Container
	warn         func(string)
	progress     *Progress
	measure      bool // somebody watches the progress
	resume       bool
	retry        func(context.Context, error, int64) bool
	irreversible bool   // what was copied cannot be taken back
	token        string // in the names of what is not complete, so that they are ours alone
	partial      string
}

// New returns a Copier.
func New(network stream.Network, container stream.Container, options Options) *Copier {
	c := &Copier{network: network, container: container, warn: options.Warn, progress: options.Progress, resume: options.Resume, retry: options.Retry, token: strings.ToLower(rand.Text()[:10])}
	if c.warn == nil {
		c.warn = func(string) {}
	}
	if c.measure = c.progress != nil; !c.measure {
		c.progress = &Progress{}
	}
	return c
}

// Partial is the path, on the destination's side, of what a copy that was cut has left for one that goes on. It is empty if there is nothing.
func (c *Copier) Partial() string { return c.partial }

// kindOf looks at a remote path without a shell, and follows symbolic links.
func (c *Copier) kindOf(ctx context.Context, remote string) (kind, error) {
	for _, look := range []struct {
		flag string
		kind kind
	}{{"-d", directory}, {"-e", file}} {
		err := c.run(ctx, []string{"test", look.flag, argument(remote)}, nil)
		var ended *stream.ExitError
		switch {
		case err == nil:
			return look.kind, nil
		case stream.Missing(err):
			return unknown, nil
		case errors.As(err, &ended):
			continue
		}
		return unknown, err
	}
	return missing, nil
}

// run runs a command that says little; what it says on its standard error is in the error.
func (c *Copier) run(ctx context.Context, command []string, out io.Writer) error {
	return c.exec(ctx, stream.Process{Command: command, Stdout: out}, &stderrTail{})
}

// transferOutput runs a command that carries the content of files.
func (c *Copier) transferOutput(ctx context.Context, command []string, in io.Reader, out io.Writer) error {
	return c.exec(ctx, stream.Process{Command: command, Stdin: in, Stdout: out, Bulk: true}, &stderrTail{})
}

// drained runs the command of its arguments. If that fails, it says so with the word $0 and reads what is left of the input: a
// runtime may report the end of a command only when its input is read, and a network that finds the command gone before may
// forget its exit code.
const drained = `"$@"
s=$?
if [ "$s" != 0 ]; then
  echo "$0" >&2
  cat >/dev/null 2>&1 || while read -r _; do :; done
fi
exit "$s"`

// failureMarker is what a drained command says before it waits for the end of its input.
const failureMarker = tempPrefix + "failed"

// sendInput gives a command much input. With a shell in the image, one that fails is not sent the rest of it.
func (c *Copier) sendInput(ctx context.Context, shell bool, command []string, in *io.PipeReader, out io.Writer) error {
	said := &stderrTail{}
	var known atomic.Bool
	if shell {
		command = append([]string{"sh", "-c", drained, failureMarker}, command...)
		said.failed = func() {
			known.Store(true)
			_ = in.CloseWithError(errStopped)
		}
	}
	err := c.exec(ctx, stream.Process{Command: command, Stdin: in, Stdout: out, Bulk: true}, said)
	if _, lost := errors.AsType[*stream.LostError](err); lost && known.Load() {
		return &commandError{program: command[0], message: said.String(), exit: &stream.ExitError{Code: 1}} // how it ended was said before
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

// commandError is a remote command that ran and failed.
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

// Unwrap gives errors.As the exit code.
func (e *commandError) Unwrap() error { return e.exit }

// stderrTail keeps the end of what a command says.
type stderrTail struct {
	tail   bytes.Buffer // not embedded: io.Copy would use its ReadFrom
	failed func()       // is called when a drained command says that it has failed; may be nil
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

// String is what was said, in one line.
func (l *stderrTail) String() string {
	said := strings.ReplaceAll(l.tail.String(), failureMarker+"\n", "")
	return strings.Join(strings.FieldsFunc(said, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
