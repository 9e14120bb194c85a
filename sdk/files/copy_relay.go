// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Relay copies a file or directory of this container to another one. The data passes through this machine and is not
// stored on it.
func (c *Copier) Relay(ctx context.Context, remote string, to *Copier, target string) error {
	return to.withRetries(ctx, func() error { return c.relay(ctx, remote, to, target) })
}

func (c *Copier) relay(ctx context.Context, remote string, to *Copier, target string) error {
	seen, has, err := c.probe(ctx, true, remote)
	if err != nil {
		return err
	}
	name, at := remotePaths().name(remote), seen[0]
	switch {
	case at.kind == missing:
		return fmt.Errorf("%s: no such file or directory in the sandbox", remote)
	case at.kind == directory:
		to.progress.start(at.size, 0)
		target = remotePaths().directoryTarget(name, target)
		return to.uploadTree(ctx, target, identityOf(
			c.container, remote, target,
		), func(archive *packer, root string, own bool) error {
			return c.repack(ctx, remote, archive, root, own)
		})
	case name == "":
		return fmt.Errorf("%s is no directory in the sandbox", remote)
	case at.isPipe:
		return errPipeSource(remote)
	}
	return to.uploadFile(
		ctx, remoteFile{c: c, path: remote, probed: at, sum: has.sum, shell: has.shell}, name, target, nil,
	)
}

// repack passes an archive on entry by entry and checks each name: one container must not write anywhere in the other.
func (c *Copier) repack(ctx context.Context, remote string, archive *packer, root string, own bool) error {
	err := c.receive(ctx, []string{"tar", "-cf", "-", "-C", argument(remote), "."}, nil, func(from *tar.Reader) error {
		links, names := map[string]bool{}, nameMemory(0)
		for {
			header, err := from.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = names.add(len(header.Name))
			}
			if err == nil {
				err = c.repackEntry(header, from, archive, root, own, links)
			}
			if err != nil {
				return err
			}
		}
	})
	if stream.Missing(err) {
		return ErrNeedsTar
	}
	return err
}

func (c *Copier) repackEntry(
	header *tar.Header, from io.Reader, archive *packer, root string, own bool, links map[string]bool,
) error {
	name, err := safeName(header.Name, links)
	if err != nil {
		return err
	}
	out := &tar.Header{
		Typeflag: header.Typeflag, Name: path.Join(root, name), Linkname: header.Linkname, Size: header.Size,
		Mode: int64(header.FileInfo().Mode().Perm()), ModTime: header.ModTime, Format: tar.FormatGNU,
	}
	switch header.Typeflag {
	case tar.TypeDir:
		if name == "." && !own {
			return nil
		}
		archive.recordDirectory(out.Name)
		out.Name += "/"
	case tar.TypeSymlink:
		links[name] = true
	case tar.TypeLink:
		first, err := safeName(header.Linkname, links)
		if err != nil {
			return err
		}
		out.Linkname = path.Join(root, first)
		archive.recordLink(out.Name, out.Linkname)
	case tar.TypeReg:
	default:
		c.warn(fmt.Sprintf("%s is skipped: it is neither a file, a directory nor a link", name))
		return nil
	}
	if err := archive.WriteHeader(out); err != nil || header.Typeflag != tar.TypeReg {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyBuffer(
		writerOnly{io.MultiWriter(archive, sum, archive.progress)}, from, make([]byte, min(bufferSize, header.Size+1)),
	); err != nil {
		return err
	}
	if archive.sums != nil {
		archive.sums[name] = content{sum: sumOf(sum), size: header.Size}
	}
	return nil
}

// safeName returns the name of an entry that stays below the root, also with regard to symbolic links in the archive.
func safeName(name string, links map[string]bool) (string, error) {
	clean := path.Clean(name)
	if path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") {
		return "", fmt.Errorf(
			"the archive from the sandbox has an entry %q that would be written outside of the destination", name,
		)
	}
	for above := clean; above != "." && above != "/"; above = path.Dir(above) {
		if links[above] {
			return "", fmt.Errorf(
				"the archive from the sandbox has an entry %q that would be written through a symbolic link", name,
			)
		}
	}
	return clean, nil
}
