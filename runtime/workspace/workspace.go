// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package workspace has the files that clients of the runtime may reach: those below one directory.
//
// Invariants: no name leads out of the directory, whatever symbolic links are made while it is resolved (os.Root); a
// file that is uploaded takes its name only when all of it is on the disk.
package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Errors that the methods of Directory return, wrapped. Others are those of package os.
var (
	ErrOutside      = errors.New("the path leads out of the base directory")
	ErrInvalidName  = errors.New("the path has a NUL byte")
	ErrNotFile      = errors.New("it is not a regular file")
	ErrNotDirectory = errors.New("it is not a directory")
)

// Directory is the base directory. Any number of goroutines may use it.
type Directory struct {
	root *os.Root
	// escapes is what os.Root returns for a path that leads out of it. Package os does not export it.
	escapes error
}

// Open opens a base directory.
func Open(name string) (*Directory, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	_, err = root.Lstat("..")
	var outside *fs.PathError
	if !errors.As(err, &outside) {
		return nil, errors.Join(fmt.Errorf("%s/.. is not outside of it: %w", name, err), root.Close())
	}
	return &Directory{root: root, escapes: outside.Err}, nil
}

// Close releases the directory.
func (d *Directory) Close() error { return d.root.Close() }

// Entry is a file or a directory.
type Entry struct {
	Name string
	// Directory is also true for a symbolic link to a directory, and Size is that of the target, if that is within the
	// base directory.
	Directory bool
	Size      int64
	Modified  time.Time
}

// Open opens a regular file for reading. It does not wait for the other end of a named pipe.
func (d *Directory) Open(name string) (*os.File, fs.FileInfo, error) {
	name, err := local(name)
	if err != nil {
		return nil, nil, err
	}
	file, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return nil, nil, ErrNotFile // a socket, or a device without a driver
	}
	if err != nil {
		return nil, nil, d.explain(err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotFile
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// List returns the entries of a directory, sorted by name.
func (d *Directory) List(name string) ([]Entry, error) {
	name, err := local(name)
	if err != nil {
		return nil, err
	}
	directory, err := d.root.OpenRoot(name)
	if err != nil {
		if info, wrong := d.root.Stat(name); wrong == nil && !info.IsDir() {
			return nil, ErrNotDirectory
		}
		return nil, d.explain(err)
	}
	defer func() { _ = directory.Close() }()
	opened, err := directory.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	// ReadDir would look at the entries by their full paths, which may lead elsewhere by now.
	names, err := opened.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(names))
	for _, one := range names {
		info, err := directory.Lstat(one)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().Type() == fs.ModeSymlink {
			if target, err := d.root.Stat(path.Join(name, one)); err == nil {
				info = target
			}
		}
		entries = append(entries, Entry{Name: one, Directory: info.IsDir(), Size: info.Size(), Modified: info.ModTime()})
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}

// Exists reports whether a path leads to something within the base directory.
func (d *Directory) Exists(name string) (bool, error) {
	name, err := local(name)
	if err != nil {
		return false, err
	}
	_, err = d.root.Stat(name)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return false, nil
	}
	return false, d.explain(err)
}

// local returns a name that is relative to the base directory. A leading slash stands for that directory.
func local(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", ErrInvalidName
	}
	name = cmp.Or(strings.TrimLeft(name, "/"), ".")
	if !filepath.IsLocal(name) {
		return "", ErrOutside
	}
	return name, nil
}

func (d *Directory) explain(err error) error {
	if errors.Is(err, d.escapes) {
		return ErrOutside
	}
	return err
}
