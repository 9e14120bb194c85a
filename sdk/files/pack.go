// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// packer writes local files to an archive that every tar can read.
type packer struct {
	*tar.Writer
	warn func(string)
}

// tree adds the directory's content under root, and with own the directory itself. A symbolic link as the directory is
// followed, those below it are copied as links.
func (p *packer) tree(local, root string, own bool) error {
	local, err := filepath.EvalSymlinks(local)
	if err != nil {
		return err
	}
	return filepath.WalkDir(local, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(local, at)
		if err != nil {
			return err
		}
		if relative == "." && (!own || root == "." || root == "") {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return p.entry(at, path.Join(root, filepath.ToSlash(relative)), info)
	})
}

func (p *packer) entry(local, name string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return p.file(local, name, info)
	case info.IsDir():
		return p.header(name+"/", "", info)
	case info.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(local)
		if err != nil {
			return err
		}
		return p.header(name, filepath.ToSlash(link), info)
	}
	p.warn(fmt.Sprintf("%s is skipped: it is neither a file, a directory nor a symbolic link", local))
	return nil
}

func (p *packer) file(local, name string, info fs.FileInfo) error {
	in, err := os.Open(local)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := p.header(name, "", info); err != nil {
		return err
	}
	if _, err := io.CopyN(p, in, info.Size()); err != nil {
		return fmt.Errorf("read %s, which had %d bytes: %w", local, info.Size(), err)
	}
	return nil
}

// header leaves out what only this machine knows: owners, and times that old formats have no room for.
func (p *packer) header(name, link string, info fs.FileInfo) error {
	h, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	h.Name = name
	h.Uid, h.Gid, h.Uname, h.Gname = 0, 0, "", ""
	h.ModTime = info.ModTime().Truncate(time.Second)
	h.AccessTime, h.ChangeTime = time.Time{}, time.Time{}
	h.Format = tar.FormatGNU
	return p.WriteHeader(h)
}
