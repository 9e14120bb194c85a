// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// Partial is the prefix of the name that a file has while it is uploaded.
const Partial = ".sandbox-runtime-"

// Upload is a file that has no name yet. It is not safe for concurrent use.
type Upload struct {
	parent          *os.Root
	file            *os.File
	temporary, name string
}

// Create begins to upload a file and makes the directories that it is in. The caller calls Discard, also after Commit.
func (d *Directory) Create(name string) (*Upload, error) {
	name, err := local(name)
	if err != nil {
		return nil, err
	}
	base := path.Base(name)
	if base == "." || base == ".." || strings.HasSuffix(name, "/") {
		return nil, ErrNotFile
	}
	before, err := d.root.Stat(name)
	switch {
	case err == nil && !before.Mode().IsRegular():
		return nil, ErrNotFile
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return nil, d.explain(err)
	}
	parent, err := d.parent(path.Dir(name))
	if err != nil {
		return nil, err
	}
	upload := &Upload{parent: parent, temporary: Partial + rand.Text(), name: base}
	upload.file, err = parent.OpenFile(upload.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, errors.Join(err, parent.Close())
	}
	if before != nil { // a script stays executable
		if err := upload.file.Chmod(before.Mode().Perm()); err != nil {
			upload.Discard()
			return nil, err
		}
	}
	return upload, nil
}

// parent opens a directory and makes it if it does not exist. What happens to its path later does not matter.
func (d *Directory) parent(name string) (*os.Root, error) {
	err := d.root.MkdirAll(name, 0o777)
	if err == nil {
		var parent *os.Root
		if parent, err = d.root.OpenRoot(name); err == nil {
			return parent, nil
		}
	}
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: %w", name, ErrNotDirectory)
	}
	return nil, d.explain(err)
}

// Write appends to the file.
func (u *Upload) Write(data []byte) (int, error) { return u.file.Write(data) }

// Commit gives the file its name once its content is on the disk. It replaces a file or a symbolic link of that name.
func (u *Upload) Commit() error {
	if err := errors.Join(u.file.Sync(), u.file.Close()); err != nil {
		return err
	}
	err := u.parent.Rename(u.temporary, u.name)
	if errors.Is(err, syscall.EISDIR) || errors.Is(err, fs.ErrExist) {
		return ErrNotFile // a directory since Create
	}
	if err == nil {
		u.temporary = ""
	}
	return err
}

// Discard removes what was not committed, and releases the rest.
func (u *Upload) Discard() {
	_ = u.file.Close() // after Commit it is closed already
	if u.temporary != "" {
		_ = u.parent.Remove(u.temporary)
	}
	_ = u.parent.Close()
}
