// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// maxCopyTime is how long a copy may take.
const maxCopyTime = 30 * time.Minute

func copyTools() []definition {
	return []definition{
		{
			name: "upload_file", title: "Upload a file or directory", changes: true, destroys: true, local: true,
			description: "Copy a file or a directory of the user's machine into a sandbox. Only the directory that the user " +
				"has named can be copied from.",
			add: tool((*request).upload, nil),
		},
		{
			name: "download_file", title: "Download a file or directory", changes: true, destroys: true, local: true,
			description: "Copy a file or a directory of a sandbox to the user's machine. Only the directory that the user has " +
				"named can be copied to.",
			add: tool((*request).download, nil),
		},
	}
}

type uploading struct {
	targeted

	LocalPath string `json:"local_path" jsonschema:"path on the user's machine"`
	Path      string `json:"path" jsonschema:"path in the sandbox"`
}

type downloading struct {
	targeted

	Path      string `json:"path" jsonschema:"path in the sandbox"`
	LocalPath string `json:"local_path" jsonschema:"path on the user's machine"`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"whether what exists there may be replaced"`
}

type copied struct {
	Sandbox   string `json:"sandbox" jsonschema:"name of the sandbox"`
	Path      string `json:"path" jsonschema:"path in the sandbox"`
	LocalPath string `json:"local_path" jsonschema:"path on the user's machine"`
	Note      string `json:"note,omitempty" jsonschema:"what else to know"`
}

func (r *request) upload(ctx context.Context, in uploading) (copied, error) {
	return r.copy(ctx, in.targeted, in.Path, in.LocalPath, func(
		ctx context.Context, e *entry, remote, local string,
	) error {
		box, err := r.server.box(ctx, e)
		if err != nil {
			return err
		}
		return box.Upload(ctx, local, remote)
	})
}

func (r *request) download(ctx context.Context, in downloading) (copied, error) {
	return r.copy(ctx, in.targeted, in.Path, in.LocalPath, func(
		ctx context.Context, e *entry, remote, local string,
	) error {
		if err := checkDestination(local, path.Base(remote), in.Overwrite); err != nil {
			return err
		}
		if err := r.checkSource(ctx, e, remote); err != nil {
			return err
		}
		box, err := r.server.box(ctx, e)
		if err != nil {
			return err
		}
		return box.Download(ctx, remote, local)
	})
}

// copy checks the paths and copies. Copies take turns: one that creates a symbolic link must not change what the path
// of another one means after it was checked.
func (r *request) copy(
	ctx context.Context, in targeted, remote, local string,
	do func(ctx context.Context, e *entry, remote, local string) error,
) (copied, error) {
	s := r.server
	e, err := s.table.find(in.Sandbox)
	if err != nil {
		return copied{}, err
	}
	if remote, err = remotePath("path", remote); err != nil {
		return copied{}, err
	}
	s.copying.Lock()
	defer s.copying.Unlock()
	if local, err = localPath(s.options.local, local); err != nil {
		return copied{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxCopyTime, errTimeOver)
	defer cancel()
	if err := do(ctx, e, remote, local); err != nil {
		return copied{}, err
	}
	return copied{
		Sandbox: e.ref.Name, Path: printable.Line(remote), LocalPath: printable.Line(local), Note: s.expiryNote(e),
	}, nil
}

// checkSource refuses what is neither a file nor a directory: a device may have no end.
func (r *request) checkSource(ctx context.Context, e *entry, remote string) error {
	box, err := r.server.box(ctx, e)
	if err != nil {
		return err
	}
	code, err := box.Exec(ctx, stream.Process{
		Command: []string{"sh", "-c", `[ -f "$1" ] || [ -d "$1" ]`, "sh", remote},
		Stdout:  io.Discard, Stderr: io.Discard,
	})
	if err == nil && code != 0 {
		err = fmt.Errorf("%s is neither a file nor a directory in the sandbox", quote(remote))
	}
	return err
}
