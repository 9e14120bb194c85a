// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Upload copies a local file or directory to a path in the container.
func (c *Copier) Upload(ctx context.Context, local, remote string) error {
	info, err := os.Stat(local)
	if err != nil {
		return err
	}
	kind, err := c.kindOf(ctx, remote)
	if err != nil {
		return err
	}
	name := localPlace().name(local)
	if info.IsDir() {
		return c.uploadDirectory(ctx, local, remotePlace().ofDirectory(name, remote), name == "" || !remotePlace().into(remote), kind)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a directory", local)
	}
	target := remotePlace().ofFile(name, remote, kind == directory)
	err = c.uploadFile(ctx, local, target, info)
	if stream.Missing(err) {
		return c.uploadPlain(ctx, local, target, info)
	}
	return err
}

// UploadFrom writes what the reader gives to a file in the container.
func (c *Copier) UploadFrom(ctx context.Context, in io.Reader, remote string) error {
	err := c.run(ctx, []string{"sh", "-c", `cat >"$1"`, "sh", remote}, in, nil)
	if stream.Missing(err) {
		return errors.New("the image has neither sh nor cat, which writing standard input to a file needs")
	}
	return err
}

// uploadDirectory makes target a copy of the directory. Same says that target is the very path that kind is about: if it
// exists, its own mode stays as it is.
func (c *Copier) uploadDirectory(ctx context.Context, local, target string, same bool, kind kind) error {
	if same && kind == file {
		return fmt.Errorf("%s is a file in the sandbox: a directory cannot take its place", target)
	}
	err := c.send(ctx, target, func(archive *packer, root string) error {
		return archive.tree(local, root, !same || kind != directory)
	})
	if stream.Missing(err) {
		return ErrNeedsTar
	}
	return err
}

func (c *Copier) uploadFile(ctx context.Context, local, target string, info fs.FileInfo) error {
	return c.send(ctx, target, func(archive *packer, root string) error { return archive.file(local, root, info) })
}

// uploadPlain serves images without tar.
func (c *Copier) uploadPlain(ctx context.Context, local, target string, info fs.FileInfo) error {
	in, err := os.Open(local)
	if err != nil {
		return err
	}
	defer in.Close()
	const script = `cat >"$1" && { chmod "$2" "$1" || :; }`
	err = c.run(ctx, []string{"sh", "-c", script, "sh", target, strconv.FormatUint(uint64(info.Mode().Perm()), 8)}, in, nil)
	if stream.Missing(err) {
		return errors.New("the image has neither tar nor a shell: nothing can be copied into it")
	}
	return err
}

// send unpacks an archive in the container. Its names are whole paths, so tar makes the directories above the target.
func (c *Copier) send(ctx context.Context, target string, fill func(archive *packer, root string) error) error {
	command := []string{"tar", "-xpof", "-"}
	root := path.Clean(target)
	if path.IsAbs(root) {
		command = append(command, "-C", "/")
		root = strings.TrimPrefix(root, "/")
	}
	if root == ".." || strings.HasPrefix(root, "../") {
		return fmt.Errorf("%s leads out of the working directory: give an absolute path", target)
	}
	reader, writer := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		archive := &packer{Writer: tar.NewWriter(writer), warn: c.warn}
		err := fill(archive, root)
		if err == nil {
			err = archive.Close()
		}
		writer.CloseWithError(err)
		packed <- err
	}()
	err := c.run(ctx, command, reader, nil)
	_ = reader.CloseWithError(errStopped) // the packer stops if the command did before it
	if local := <-packed; local != nil && !errors.Is(local, errStopped) {
		return local
	}
	return err
}

var errStopped = errors.New("the remote command has ended")
