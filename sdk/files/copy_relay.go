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
	seen, has, err := c.probe(ctx, c.sourceWords(), remote)
	if err != nil {
		return err
	}
	name, at := remotePaths().name(remote), seen[0]
	switch {
	case at.kind == missing:
		return fmt.Errorf("%s: no such file or directory in the sandbox", remote)
	case at.kind == directory:
		to.progress.start(at.size, 0)
		selected := c.leaveOut(selection{}, remote, at.mounts)
		return c.relayTree(ctx, remote, selected, has, to, remotePaths().directoryTarget(name, target))
	case name == "":
		return fmt.Errorf("%s is no directory in the sandbox", remote)
	case at.isPipe:
		return errPipeSource(remote)
	}
	return to.uploadFile(
		ctx, remoteFile{c: c, path: remote, probed: at, sum: has.sum, shell: has.shell}, name, target, nil,
	)
}

// relayTree copies what is selected of a remote directory to the target.
func (c *Copier) relayTree(
	ctx context.Context, remote string, selected selection, has imageTools, to *Copier, target string,
) error {
	if err := selected.possible(has); err != nil {
		return err
	}
	identity := identityOf(c.container, remote, target, selected.roots)
	return to.uploadTree(ctx, target, identity, func(archive *packer, root string, own bool) error {
		r := &repacker{
			packer: archive, selection: selected, root: root, own: own, links: map[string]bool{}, warn: c.warn,
		}
		return c.repack(ctx, remote, r)
	})
}

// repack passes an archive on, or several.
func (c *Copier) repack(ctx context.Context, remote string, r *repacker) error {
	if r.selection.program() != "" {
		archive := c.fetchArchive(ctx, remote, r.selection)
		defer archive.close()
		_, err := c.unpack(archive, r.entries)
		return err
	}
	err := c.receive(ctx, []string{"tar", "-cf", "-", "-C", argument(remote), "."}, nil, r.entries)
	if stream.Missing(err) {
		return ErrNeedsTar
	}
	return err
}

// repacker passes archives on entry by entry and checks each name: one container must not write anywhere in the other.
type repacker struct {
	*packer
	selection selection
	root      string
	own       bool
	links     map[string]bool
	names     nameMemory
	warn      func(string)
}

func (r *repacker) entries(from *tar.Reader) error {
	if err := r.names.add(0); err != nil { // there may be any number of archives
		return err
	}
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = r.names.add(len(header.Name))
		}
		if err == nil {
			err = r.entry(header, from)
		}
		if err != nil {
			return err
		}
	}
}

func (r *repacker) entry(header *tar.Header, from io.Reader) error {
	name, err := safeName(header.Name, r.links)
	if err != nil {
		return err
	}
	name, copied := r.selection.place(name, header.Typeflag == tar.TypeDir)
	if !copied {
		return nil
	}
	out := &tar.Header{
		Typeflag: header.Typeflag, Name: path.Join(r.root, name), Linkname: header.Linkname, Size: header.Size,
		Mode: int64(header.FileInfo().Mode().Perm()), ModTime: header.ModTime, Format: tar.FormatGNU,
	}
	switch header.Typeflag {
	case tar.TypeDir:
		if name == "." && !r.own {
			return nil
		}
		r.recordDirectory(out.Name)
		out.Name += "/"
	case tar.TypeSymlink:
		r.links[path.Clean(header.Name)] = true
	case tar.TypeLink:
		first, err := safeName(header.Linkname, r.links)
		if err != nil {
			return err
		}
		first, copied := r.selection.place(first, false)
		if !copied {
			return fmt.Errorf("%s is a hard link to %s, which is left out", name, header.Linkname)
		}
		out.Linkname = path.Join(r.root, first)
		r.recordLink(out.Name, out.Linkname)
	case tar.TypeReg:
	default:
		r.warn(fmt.Sprintf("%s is skipped: it is neither a file, a directory nor a link", name))
		return nil
	}
	if err := r.WriteHeader(out); err != nil || header.Typeflag != tar.TypeReg {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyBuffer(
		writerOnly{io.MultiWriter(r.packer, sum, r.progress)}, from, make([]byte, min(bufferSize, header.Size+1)),
	); err != nil {
		return err
	}
	if r.sums != nil {
		r.sums[name] = content{sum: sumOf(sum), size: header.Size}
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
