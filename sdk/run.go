// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/otel/trace"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
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
func (s *Sandbox) Run(ctx context.Context, command ...string) (Result, error) {
	var out, errOut limitedBuffer
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	full := func() { cancel(ErrTooLarge) }
	out.limit, errOut.limit, out.full, errOut.full = s.client.maxOutput, s.client.maxOutput, full, full
	code, err := s.Exec(ctx, stream.Process{Command: command, Stdout: &out, Stderr: &errOut})
	result := Result{Stdout: out.Bytes(), Stderr: errOut.Bytes(), ExitCode: code}
	if errors.Is(context.Cause(ctx), ErrTooLarge) {
		return result, s.wrap("run", fmt.Errorf("%w: it wrote more than %d bytes", ErrTooLarge, s.client.maxOutput))
	}
	return result, err
}

// Exec runs a command with the given streams and returns its exit code.
func (s *Sandbox) Exec(ctx context.Context, process stream.Process) (code int, err error) {
	err = s.do(ctx, "run", func(ctx context.Context) error {
		in, err := s.container(ctx)
		if err != nil {
			return err
		}
		span := trace.SpanFromContext(ctx)
		span.SetAttributes(attributeCommand.StringSlice(process.Command))
		err = s.client.clients.Network.Exec(ctx, in, process)
		if ended, ok := errors.AsType[*stream.ExitError](err); ok {
			code, err = ended.Code, nil
		}
		if err == nil {
			span.SetAttributes(attributeExitCode.Int(code))
		}
		return err
	})
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

// copier returns a Copier for the sandbox's container.
func (s *Sandbox) copier(ctx context.Context, path string) (*files.Copier, error) {
	trace.SpanFromContext(ctx).SetAttributes(attributePath.String(path))
	in, err := s.container(ctx)
	if err != nil {
		return nil, err
	}
	return files.New(s.client.clients.Network, in, files.Options{}), nil
}

// Read returns the content of a file.
func (s *Sandbox) Read(ctx context.Context, path string) (content []byte, err error) {
	err = s.do(ctx, "read", func(ctx context.Context) error {
		c, err := s.copier(ctx, path)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		out := &limitedBuffer{limit: s.client.maxFile, full: func() { cancel(ErrTooLarge) }}
		err = c.DownloadTo(ctx, path, out)
		if errors.Is(context.Cause(ctx), ErrTooLarge) {
			return fmt.Errorf("%w: %s has more than %d bytes", ErrTooLarge, path, s.client.maxFile)
		}
		content = out.Bytes()
		return err
	})
	if err != nil {
		return nil, err
	}
	return content, nil
}

// Write creates or replaces a file. It writes under another name first, so that nobody reads a partial file, and
// creates missing directories.
func (s *Sandbox) Write(ctx context.Context, path string, content []byte) error {
	return s.do(ctx, "write", func(ctx context.Context) error {
		if size := int64(len(content)); size > s.client.maxFile {
			return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, s.client.maxFile)
		}
		c, err := s.copier(ctx, path)
		if err != nil {
			return err
		}
		return c.UploadFrom(ctx, bytes.NewReader(content), path)
	})
}

// List returns the entries of a directory, sorted by name.
func (s *Sandbox) List(ctx context.Context, path string) (entries []files.Entry, err error) {
	err = s.do(ctx, "list", func(ctx context.Context) error {
		c, err := s.copier(ctx, path)
		if err == nil {
			entries, err = c.List(ctx, path)
		}
		return err
	})
	return entries, err
}

// Exists reports whether a path exists. Symbolic links are followed.
func (s *Sandbox) Exists(ctx context.Context, path string) (exists bool, err error) {
	err = s.do(ctx, "exists", func(ctx context.Context) error {
		c, err := s.copier(ctx, path)
		if err == nil {
			exists, err = c.Exists(ctx, path)
		}
		return err
	})
	return exists, err
}

// Upload copies a local file or directory into the sandbox. Package files describes where it ends up.
func (s *Sandbox) Upload(ctx context.Context, local, remote string) error {
	return s.do(ctx, "upload", func(ctx context.Context) error {
		c, err := s.copier(ctx, remote)
		if err == nil {
			err = c.Upload(ctx, local, remote)
		}
		return err
	})
}

// Download copies a file or directory of the sandbox to a local path.
func (s *Sandbox) Download(ctx context.Context, remote, local string) error {
	return s.do(ctx, "download", func(ctx context.Context) error {
		c, err := s.copier(ctx, remote)
		if err == nil {
			err = c.Download(ctx, remote, local)
		}
		return err
	})
}
