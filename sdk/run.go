// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Result is the result of a command.
type Result struct {
	Stdout, Stderr []byte
	// ExitCode is the command's exit code. A code other than 0 is not an error.
	ExitCode int
}

// Run runs a command without input. It never runs a command twice: if the connection is lost (ErrLost), the command may
// have run.
//
// A command may run for as long as the context permits, also without any output. It may take the request timeout to
// start it (ErrTimeout). From then on, connections prove with pings that they are alive. When a command is silent for
// the request timeout, Run asks the API server whether the Pod still runs: if not, it returns ErrLost. So without a
// deadline, Run waits for what is alive, and for nothing else.
func (s *Sandbox) Run(ctx context.Context, command ...string) (Result, error) {
	return s.run(ctx, command, s.Exec)
}

// run runs a command with exec, and keeps its outputs.
func (s *Sandbox) run(
	ctx context.Context, command []string, exec func(context.Context, stream.Process) (int, error),
) (Result, error) {
	var out, errOut limitedBuffer
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	full := func() { cancel(ErrTooLarge) }
	out.limit, errOut.limit, out.full, errOut.full = s.client.maxOutput, s.client.maxOutput, full, full
	code, err := exec(ctx, stream.Process{Command: command, Stdout: &out, Stderr: &errOut})
	result := Result{Stdout: out.Bytes(), Stderr: errOut.Bytes(), ExitCode: code}
	if errors.Is(context.Cause(ctx), ErrTooLarge) {
		return result, s.wrap("run", fmt.Errorf("%w: it wrote more than %d bytes", ErrTooLarge, s.client.maxOutput))
	}
	return result, err
}

// Exec runs a command with the given streams and returns its exit code. What Run says about time applies.
func (s *Sandbox) Exec(ctx context.Context, process stream.Process) (code int, err error) {
	err = s.do(ctx, "run", func(ctx context.Context) error {
		network, in, err := s.container(ctx)
		if err != nil {
			return err
		}
		code, err = exitCode(ctx, process, network.Exec(ctx, in, process))
		return err
	})
	return code, err
}

// exitCode returns the exit code that is in the error of a command, and records it.
func exitCode(ctx context.Context, process stream.Process, err error) (int, error) {
	code := 0
	if ended, ok := errors.AsType[*stream.ExitError](err); ok {
		code, err = ended.Code, nil
	}
	note(ctx, AttrCommand.StringSlice(process.Command))
	if err == nil {
		note(ctx, AttrExitCode.Int(code))
	}
	return code, err
}

// limitedBuffer is a buffer that calls full when it reaches its limit.
type limitedBuffer struct {
	bytes.Buffer
	limit int64
	full  func()
}

// Write implements io.Writer.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := b.limit - int64(b.Len()); int64(len(p)) > room {
		n, _ := b.Buffer.Write(p[:room]) // bytes.Buffer never fails
		b.full()
		return n, ErrTooLarge
	}
	return b.Buffer.Write(p)
}

// ReadFrom hides the buffer's own method, which knows no limit.
func (b *limitedBuffer) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{b}, r)
}
