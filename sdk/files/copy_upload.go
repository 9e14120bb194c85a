// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

var errNoShell = errors.New("the image has neither tar nor a shell: nothing can be copied into it")

// Upload copies a local file or directory to a path in the container.
func (c *Copier) Upload(ctx context.Context, local, remote string) error {
	return c.withRetries(ctx, func() error { return c.upload(ctx, local, remote) })
}

func (c *Copier) upload(ctx context.Context, local, remote string) error {
	info, err := os.Stat(local)
	if err != nil {
		return err
	}
	name := localPaths().name(local)
	switch {
	case info.IsDir():
		return c.uploadDirectory(ctx, local, remotePaths().directoryTarget(name, remote))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a directory", local)
	}
	return c.uploadFile(ctx, localFile{path: local, stat: info}, name, remote, info)
}

// UploadFrom writes the reader's data to a file in the container.
func (c *Copier) UploadFrom(ctx context.Context, in io.Reader, remote string) error {
	return c.uploadFile(ctx, standardInput{in: in, token: rand.Text()}, "", remote, nil)
}

// uploadFile writes a file to the remote path, or into it if it is a directory. info is that of a local file, and nil
// for other sources.
func (c *Copier) uploadFile(ctx context.Context, from source, name, remote string, info fs.FileInfo) error {
	inside := remotePaths().join(remote, name)
	seen, has, err := c.probe(ctx, "", remote, inside)
	if err != nil {
		return err
	}
	target, at := remotePaths().fileTarget(name, remote, seen[0].kind == directory), seen[0]
	if target == inside {
		at = seen[1]
	}
	local, isLocal := from.(localFile)
	switch {
	case name == "" && (at.kind == directory || remotePaths().endsInDirectory(remote)):
		return fmt.Errorf("%s is a directory in the sandbox: give the name of a file", remote)
	case at.kind == directory:
		return fmt.Errorf("%s is a directory in the sandbox: a file cannot take its place", target)
	case at.kind == device:
		return c.uploadDevice(ctx, from, target)
	case has.shell:
		return c.transfer(ctx, from, c.inContainerAt(target, from))
	case !isLocal:
		return errors.New("the image has no shell, which this copy needs")
	}
	err = c.sendPlain(
		ctx, target, func(archive *packer, root string) error { return archive.file(local.path, root, info) },
	)
	if stream.Missing(err) {
		return errNoShell
	}
	return err
}

// uploadDevice writes to something that is not a regular file: a device or pipe must not be replaced by a file.
func (c *Copier) uploadDevice(ctx context.Context, from source, target string) error {
	c.irreversible = true
	reader, writer := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		_, err := from.send(ctx, 0, io.MultiWriter(writer, c.progress))
		writer.CloseWithError(err)
		sent <- err
	}()
	err := c.sendInput(ctx, true, []string{"sh", "-c", `cat >"$1"`, "sh", argument(target)}, reader, nil)
	_ = reader.CloseWithError(errStopped)
	if problem := <-sent; problem != nil && !errors.Is(problem, errStopped) {
		return problem
	}
	return err
}

var errStopped = errors.New("the remote command has ended")
