// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
)

// Methods that read or replace files may be tried several times: to do it twice is the same as to do it once. Each
// attempt ends when a connection breaks or goes silent, or the Pod is gone.

// transfer repeats an operation on a file until it succeeds, as far as that may help.
func (s *Sandbox) transfer(ctx context.Context, path string, do func(c *files.Copier) error) error {
	note(ctx, AttrFilePath.String(path))
	return s.retry(ctx, func() error {
		c, err := s.copier(ctx, files.Options{})
		if err != nil {
			return err
		}
		return do(c)
	})
}

// Read returns the content of a file.
func (s *Sandbox) Read(ctx context.Context, path string) (content []byte, err error) {
	err = s.do(ctx, "read", func(ctx context.Context) error {
		return s.transfer(ctx, path, func(c *files.Copier) error {
			content, err = s.read(ctx, path, c)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return content, nil
}

func (s *Sandbox) read(ctx context.Context, path string, c *files.Copier) ([]byte, error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &limitedBuffer{limit: s.client.maxFile, full: func() { cancel(ErrTooLarge) }}
	err := c.DownloadTo(limited, path, out)
	if errors.Is(context.Cause(limited), ErrTooLarge) {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", ErrTooLarge, path, s.client.maxFile)
	}
	note(ctx, AttrFileSize.Int(out.Len()))
	return out.Bytes(), err
}

// checkSize returns an error for a content that Write does not send.
func (s *Sandbox) checkSize(ctx context.Context, content []byte) error {
	size := int64(len(content))
	note(ctx, AttrFileSize.Int64(size))
	if size > s.client.maxFile {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, s.client.maxFile)
	}
	return nil
}

// Write creates or replaces a file. It writes under another name first, so that nobody reads a partial file, and
// creates missing directories.
func (s *Sandbox) Write(ctx context.Context, path string, content []byte) error {
	return s.do(ctx, "write", func(ctx context.Context) error {
		if err := s.checkSize(ctx, content); err != nil {
			return err
		}
		return s.transfer(ctx, path, func(c *files.Copier) error {
			return c.UploadFrom(ctx, bytes.NewReader(content), path)
		})
	})
}

// List returns the entries of a directory, sorted by name.
func (s *Sandbox) List(ctx context.Context, path string) (entries []files.Entry, err error) {
	err = s.do(ctx, "list", func(ctx context.Context) error {
		err := s.transfer(ctx, path, func(c *files.Copier) error {
			entries, err = c.List(ctx, path)
			return err
		})
		note(ctx, AttrFileCount.Int(len(entries)))
		return err
	})
	return entries, err
}

// Exists reports whether a path exists. Symbolic links are followed.
func (s *Sandbox) Exists(ctx context.Context, path string) (exists bool, err error) {
	err = s.do(ctx, "exists", func(ctx context.Context) error {
		err := s.transfer(ctx, path, func(c *files.Copier) error {
			exists, err = c.Exists(ctx, path)
			return err
		})
		note(ctx, AttrFileExists.Bool(exists))
		return err
	})
	return exists, err
}
