// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/retry"
)

// Methods that copy files and directories continue where they were when their connection is lost. Package files
// describes where a copy ends up.

// copyOptions are the settings that CopyOptions change.
type copyOptions struct {
	exclude        []string
	allFilesystems bool
	warn           func(string)
}

// CopyOption changes one copy.
type CopyOption func(*copyOptions)

// Exclude leaves out what matches one of the patterns, which files.Exclusions describes.
func Exclude(patterns ...string) CopyOption {
	return func(o *copyOptions) { o.exclude = append(o.exclude, patterns...) }
}

// AllFilesystems includes other file systems below a directory, such as /proc and volumes, which are left out
// otherwise.
func AllFilesystems() CopyOption { return func(o *copyOptions) { o.allFilesystems = true } }

// OnWarning sets a function that receives what was left out although the rest was copied.
func OnWarning(tell func(warning string)) CopyOption { return func(o *copyOptions) { o.warn = tell } }

// Upload copies a local file or directory into the sandbox.
func (s *Sandbox) Upload(ctx context.Context, local, remote string, options ...CopyOption) error {
	return s.copy(ctx, "upload", remote, options, func(ctx context.Context, c *files.Copier) error {
		return c.Upload(ctx, local, remote)
	})
}

// UploadAll copies several local files and directories into a directory of the sandbox, in one stream.
func (s *Sandbox) UploadAll(ctx context.Context, locals []string, directory string, options ...CopyOption) error {
	return s.copy(ctx, "upload", directory, options, func(ctx context.Context, c *files.Copier) error {
		return c.UploadAll(ctx, locals, directory)
	})
}

// Download copies a file or directory of the sandbox to a local path.
func (s *Sandbox) Download(ctx context.Context, remote, local string, options ...CopyOption) error {
	return s.copy(ctx, "download", remote, options, func(ctx context.Context, c *files.Copier) error {
		return c.Download(ctx, remote, local)
	})
}

// DownloadAll copies several files and directories of the sandbox into a local directory, in one stream. A source may
// be a pattern with * ? or [] for all that it matches.
func (s *Sandbox) DownloadAll(ctx context.Context, remotes []string, directory string, options ...CopyOption) error {
	path := ""
	if len(remotes) == 1 {
		path = remotes[0]
	}
	return s.copy(ctx, "download", path, options, func(ctx context.Context, c *files.Copier) error {
		return c.DownloadAll(ctx, remotes, directory)
	})
}

// SyncUp makes a directory of the sandbox like a local one: it copies only what differs, and deletes what the local one
// does not have if how says so.
func (s *Sandbox) SyncUp(
	ctx context.Context, local, remote string, how files.SyncOptions, options ...CopyOption,
) (report *files.SyncReport, err error) {
	err = s.copy(ctx, "sync", remote, options, func(ctx context.Context, c *files.Copier) error {
		report, err = c.SyncUp(ctx, local, remote, how)
		return err
	})
	return report, err
}

// SyncDown makes a local directory like one of the sandbox: it copies only what differs, and deletes what the one of
// the sandbox does not have if how says so.
func (s *Sandbox) SyncDown(
	ctx context.Context, remote, local string, how files.SyncOptions, options ...CopyOption,
) (report *files.SyncReport, err error) {
	err = s.copy(ctx, "sync", remote, options, func(ctx context.Context, c *files.Copier) error {
		report, err = c.SyncDown(ctx, remote, local, how)
		return err
	})
	return report, err
}

// copy copies, and continues what a lost connection has interrupted.
func (s *Sandbox) copy(
	ctx context.Context, op, path string, options []CopyOption, do func(context.Context, *files.Copier) error,
) error {
	var chosen copyOptions
	for _, option := range options {
		option(&chosen)
	}
	return s.do(ctx, op, func(ctx context.Context) error {
		exclude, err := files.ParseExclusions(chosen.exclude...)
		if err != nil {
			return err
		}
		if path != "" {
			note(ctx, AttrFilePath.String(path))
		}
		series := &retry.Series{Clock: s.client.clock}
		var c *files.Copier
		err = s.retry(ctx, func() (err error) {
			c, err = s.copier(ctx, files.Options{
				Warn: chosen.warn, Exclude: exclude, AllFilesystems: chosen.allFilesystems,
				Retry: func(ctx context.Context, _ error, _ int64) bool { return series.Pause(ctx, 0) },
			})
			return err
		})
		if err != nil {
			return err
		}
		if err = do(ctx, c); err != nil && series.Exhausted() && transient(err) {
			return &retry.ExhaustedError{Attempts: retry.Attempts, Last: err}
		}
		return err
	})
}
