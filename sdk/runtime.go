// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/runtimeclient"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Runtime runs commands and moves files through the runtime in a sandbox (docs/guides/runtime.md) instead of through
// the API server: with WithConnection, requests go through the router, and the caller needs no permission for Pods. Its
// methods are those of Sandbox; paths are below the base directory of the runtime.
type Runtime struct {
	sandbox *Sandbox
	client  *runtimeclient.Client
}

// Runtime returns the runtime of the sandbox. It does not connect yet.
func (s *Sandbox) Runtime() *Runtime {
	c := s.client
	return &Runtime{sandbox: s, client: runtimeclient.New(runtimeclient.Config{
		Transport: &partRoundTripper{roundTripper{s, c.runtimePort}}, Clock: c.clock, Silence: c.requestTimeout,
		MaxOutput: c.maxOutput, Transient: transient, Explain: s.explainAnswer,
		Patient: func(ctx context.Context) context.Context { return context.WithValue(ctx, patientKey{}, true) },
	})}
}

// do runs an operation of the handle.
func (r *Runtime) do(ctx context.Context, op string, do func(ctx context.Context) error) error {
	return r.sandbox.do(ctx, op, func(ctx context.Context) error { return do(withRequestID(ctx)) })
}

// explainAnswer adds what the API server knows to the answer that there is no such sandbox, or that it is not running.
func (s *Sandbox) explainAnswer(ctx context.Context, err error) error {
	status, ok := errors.AsType[*runtimeclient.StatusError](err)
	if !ok || status.StatusCode != http.StatusNotFound && status.StatusCode != http.StatusServiceUnavailable {
		return err
	}
	t, known := s.target(ctx)
	if known == nil {
		known = resolve.CheckRunning(t, s.client.clock.Now())
	}
	var state *resolve.Error
	if errors.As(known, &state) || errors.Is(known, ErrDeleted) {
		return fmt.Errorf("%w: %w", known, err)
	}
	return err
}

// Run runs a command without input, as Sandbox.Run does. The time that it may take is limited by the context alone:
// when it is silent for the request timeout, Run asks the runtime whether it is there, and if not, returns ErrLost.
func (r *Runtime) Run(ctx context.Context, command ...string) (Result, error) {
	return r.sandbox.run(ctx, command, r.Exec)
}

// Exec runs a command with the given streams and returns its exit code. There is no TTY.
func (r *Runtime) Exec(ctx context.Context, process stream.Process) (code int, err error) {
	err = r.do(ctx, "run", func(ctx context.Context) error {
		code, err = exitCode(ctx, process, r.client.Exec(ctx, process))
		return err
	})
	return code, err
}

// Read returns the content of a file. It returns fs.ErrNotExist if there is none.
func (r *Runtime) Read(ctx context.Context, path string) (content []byte, err error) {
	out := &limitedBuffer{limit: r.sandbox.client.maxFile, full: func() {}}
	if err = r.Download(ctx, path, out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Download writes the content of a file to out.
func (r *Runtime) Download(ctx context.Context, path string, out io.Writer) error {
	return r.do(ctx, "read", func(ctx context.Context) error {
		note(ctx, AttrFilePath.String(path))
		size, err := r.client.Download(ctx, path, out)
		note(ctx, AttrFileSize.Int64(size))
		return missing(path, err)
	})
}

// Write creates or replaces a file, and creates missing directories.
func (r *Runtime) Write(ctx context.Context, path string, content []byte) error {
	return r.do(ctx, "write", func(ctx context.Context) error {
		if err := r.sandbox.checkSize(ctx, content); err != nil {
			return err
		}
		note(ctx, AttrFilePath.String(path))
		return r.client.Upload(ctx, path, bytes.NewReader(content), int64(len(content)))
	})
}

// Upload creates or replaces a file with size bytes of content. It is tried again only if content is an io.Seeker.
func (r *Runtime) Upload(ctx context.Context, path string, content io.Reader, size int64) error {
	return r.do(ctx, "write", func(ctx context.Context) error {
		note(ctx, AttrFilePath.String(path), AttrFileSize.Int64(size))
		return r.client.Upload(ctx, path, content, size)
	})
}

// List returns the entries of a directory, sorted by name. Of a mode, only the type is known.
func (r *Runtime) List(ctx context.Context, path string) (entries []files.Entry, err error) {
	err = r.do(ctx, "list", func(ctx context.Context) error {
		note(ctx, AttrFilePath.String(path))
		listed, err := r.client.List(ctx, path)
		note(ctx, AttrFileCount.Int(len(listed)))
		for _, one := range listed {
			entry := files.Entry{Name: one.Name, Size: one.Size, Modified: one.Modified}
			if one.Directory {
				entry.Mode = fs.ModeDir
			}
			entries = append(entries, entry)
		}
		return missing(path, err)
	})
	return entries, err
}

// Exists reports whether a path exists. Symbolic links are followed.
func (r *Runtime) Exists(ctx context.Context, path string) (exists bool, err error) {
	err = r.do(ctx, "exists", func(ctx context.Context) error {
		note(ctx, AttrFilePath.String(path))
		exists, err = r.client.Exists(ctx, path)
		note(ctx, AttrFileExists.Bool(exists))
		return err
	})
	return exists, err
}

// missing makes the answer that there is no such file the error that Go has for that.
func missing(path string, err error) error {
	status, ok := errors.AsType[*runtimeclient.StatusError](err)
	if ok && status.StatusCode == http.StatusNotFound {
		return fmt.Errorf("%s: %w: %w", path, fs.ErrNotExist, err)
	}
	return err
}
