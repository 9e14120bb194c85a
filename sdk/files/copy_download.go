// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Download copies a file or directory of the container to a local path.
func (c *Copier) Download(ctx context.Context, remote, local string) error {
	return c.withRetries(ctx, func() error { return c.download(ctx, remote, local) })
}

func (c *Copier) download(ctx context.Context, remote, local string) error {
	at, has, archive, err := c.open(ctx, remote)
	if err != nil {
		return err
	}
	defer archive.close()
	name := remotePaths().name(remote)
	switch {
	case at.kind == missing:
		return fmt.Errorf("%s: no such file or directory in the sandbox", remote)
	case at.kind == directory && has.shell && !has.tar:
		return ErrNeedsTar
	case at.kind == directory:
		c.progress.start(at.size, 0)
		selected := c.leaveOut(selection{}, remote, at.mounts)
		return c.downloadDirectory(ctx, remote, localPaths().directoryTarget(name, local), selected, has, archive)
	case name == "":
		return fmt.Errorf("%s is no directory in the sandbox", remote)
	case at.isPipe:
		return errPipeSource(remote)
	}
	info, err := os.Stat(local)
	target := localPaths().fileTarget(name, local, err == nil && info.IsDir())
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory: a file cannot take its place", target)
	} else if err == nil && !info.Mode().IsRegular() {
		return c.downloadDevice(ctx, remote, target)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	from := remoteFile{c: c, path: remote, probed: at, sum: has.sum, shell: has.shell}
	if has.shell && (at.size >= 0 || at.kind == device) {
		to, err := c.onMachineAt(target, from.identity())
		if err != nil {
			return err
		}
		defer to.close()
		return c.transfer(ctx, from, to)
	}
	err = c.downloadFile(ctx, remote, target)
	if stream.Missing(err) {
		return c.downloadPlain(ctx, remote, target)
	}
	return err
}

// DownloadTo writes a file of the container to the writer.
func (c *Copier) DownloadTo(ctx context.Context, remote string, out io.Writer) error {
	err := c.transferOutput(ctx, []string{"cat", argument(remote)}, nil, io.MultiWriter(out, c.progress))
	if stream.Missing(err) {
		return errors.New("the image has no cat, which writing a file to standard output needs")
	}
	return err
}

// downloadDevice writes to something that is not a regular file: a device or pipe must not be replaced by a file.
func (c *Copier) downloadDevice(ctx context.Context, remote, target string) error {
	out, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	c.irreversible = true
	return errors.Join(c.DownloadTo(ctx, remote, out), out.Close())
}

// downloadFile serves images with tar but without a shell or stat. It follows a symbolic link to the file.
func (c *Copier) downloadFile(ctx context.Context, remote, target string) error {
	remote = path.Clean(remote)
	command := []string{"tar", "-chf", "-", "-C", argument(path.Dir(remote)), "./" + path.Base(remote)}
	return c.intoFile(target, func(temporary *os.File) error {
		return c.receive(ctx, command, nil, func(archive *tar.Reader) error {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				return nil // the command's error says why
			}
			if err != nil {
				return err
			}
			if header.Typeflag != tar.TypeReg {
				return fmt.Errorf("%s is no regular file in the sandbox", remote)
			}
			if _, err := io.Copy(io.MultiWriter(temporary, c.progress), archive); err != nil {
				return err
			}
			if err := temporary.Chmod(header.FileInfo().Mode().Perm()); err != nil {
				return err
			}
			return os.Chtimes(temporary.Name(), header.ModTime, header.ModTime)
		})
	})
}

// downloadPlain serves images that have only cat.
func (c *Copier) downloadPlain(ctx context.Context, remote, target string) error {
	return c.intoFile(target, func(temporary *os.File) error {
		err := c.DownloadTo(ctx, remote, temporary)
		if err != nil {
			return err
		}
		return temporary.Chmod(0o644)
	})
}

// toFile renames a temporary file to the target once it is complete.
func (c *Copier) intoFile(target string, fill func(temporary *os.File) error) error {
	temporary, err := os.CreateTemp(filepath.Dir(target), tempPrefix+"*")
	if err != nil {
		return err
	}
	err = errors.Join(fill(temporary), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), target)
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // the first error matters
	}
	return err
}

// receive unpacks the output of the command, whose exit code decides whether the copy is complete.
func (c *Copier) receive(ctx context.Context, command []string, in io.Reader, unpack func(*tar.Reader) error) error {
	reader, writer := io.Pipe()
	unpacked := make(chan error, 1)
	go func() {
		err := unpack(tar.NewReader(reader))
		if err == nil {
			err = readPadding(reader)
		}
		_ = reader.CloseWithError(err)
		unpacked <- err
	}()
	err := c.transferOutput(ctx, command, in, writer)
	_ = writer.CloseWithError(readerError(err))
	return c.copyError(err, <-unpacked)
}

// readerError returns the error for the reader of a command's output: nil if all of it arrived, however the command
// ended.
func readerError(err error) error {
	if _, ended := errors.AsType[*commandError](err); ended {
		return nil
	}
	return err
}

// copyError combines the errors of the remote command and of unpacking.
func (c *Copier) copyError(remote, local error) error {
	switch {
	case remote == nil || c.onlyFilesChanged(remote):
		return local
	case local != nil && !errors.Is(local, remote) && !errors.Is(local, io.ErrUnexpectedEOF):
		return local // that is why the command failed
	}
	return remote
}

// tarChangeWarning matches tar's messages about files that were changed or removed while it read them.
var tarChangeWarning = regexp.MustCompile(
	`: (file changed as we read it|File removed before we read it|File shrank by \d+ bytes?; padding with zeros)$`,
)

// onlyFilesChanged reports whether tar failed only because files changed while it read them. A directory in use can
// still be copied.
func (c *Copier) onlyFilesChanged(err error) bool {
	var failed *commandError
	if !errors.As(err, &failed) || failed.exit.Code != 1 {
		return false
	}
	for line := range strings.SplitSeq(failed.message, "; ") {
		if !tarChangeWarning.MatchString(line) {
			return false
		}
	}
	c.warn(failed.message)
	return true
}
