// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// unpacker writes an archive below a directory. os.Root refuses every path that leads out of it, through links too.
type unpacker struct {
	root *os.Root
	// own: the root is ours, and gets the mode and time of the archive's.
	own      bool
	warn     func(string)
	progress *Progress

	directories []*tar.Header

	writers errorGroup
	mu      sync.Mutex
	sums    sums
}

// all writes every entry. Finish is to be called when they are in their place.
func (u *unpacker) all(archive *tar.Reader) error {
	u.sums = sums{}
	err := u.entries(archive)
	return errors.Join(err, u.writers.wait())
}

func (u *unpacker) entries(archive *tar.Reader) error {
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Name, err = inside(header.Name); err != nil {
			return err
		}
		if err := u.entry(header, archive); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
		if err := u.writers.failed(); err != nil {
			return err
		}
	}
}

// inside is the name of an entry below the root. An honest archive has no other names.
func inside(name string) (string, error) {
	if path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") {
		return "", fmt.Errorf("the archive from the sandbox has an entry %q that would be written outside of the destination", name)
	}
	return filepath.FromSlash(path.Clean(name)), nil
}

// entry writes one entry. Small files are written several at once; every other kind waits until they are there, because
// its meaning may depend on them.
func (u *unpacker) entry(header *tar.Header, from io.Reader) error {
	if header.Typeflag == tar.TypeReg && header.Size <= small {
		data := make([]byte, header.Size)
		if _, err := io.ReadFull(from, data); err != nil {
			return err
		}
		u.writers.run(func() error { return u.file(header, bytes.NewReader(data)) })
		return nil
	}
	if err := u.writers.wait(); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return u.directory(header)
	case tar.TypeReg:
		return u.file(header, from)
	case tar.TypeSymlink:
		return u.link(header.Name, func() error { return u.root.Symlink(header.Linkname, header.Name) })
	case tar.TypeLink:
		first, err := inside(header.Linkname)
		if err != nil {
			return err
		}
		return u.link(header.Name, func() error { return u.root.Link(first, header.Name) })
	}
	u.warn(fmt.Sprintf("%s is skipped: it is neither a file, a directory nor a link", header.Name))
	return nil
}

// directory makes it writable for us until all is in it.
func (u *unpacker) directory(header *tar.Header) error {
	if header.Name != "." {
		if err := u.root.MkdirAll(header.Name, 0o777); err != nil {
			return err
		}
		info, err := u.root.Lstat(header.Name)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return errors.New("it is a symbolic link here, and a directory in the sandbox")
		}
		if err := u.root.Chmod(header.Name, info.Mode().Perm()|0o700); err != nil {
			return err
		}
	} else if !u.own {
		return nil
	}
	u.directories = append(u.directories, header)
	return nil
}

// file writes one file. What is left of it after a cut is the beginning of it under its name: the tree that it is in has not got
// its own name yet, and a copy that goes on compares sums.
func (u *unpacker) file(header *tar.Header, from io.Reader) error {
	name := header.Name
	out, err := u.create(name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.CopyBuffer(writerOnly{io.MultiWriter(out, sum, u.progress)}, from, make([]byte, min(block, header.Size+1)))
	if err == nil {
		err = out.Chmod(header.FileInfo().Mode().Perm())
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	u.mu.Lock()
	u.sums[filepath.ToSlash(header.Name)] = content{sum: sumOf(sum), size: header.Size, modified: header.ModTime}
	u.mu.Unlock()
	return u.root.Chtimes(name, header.ModTime, header.ModTime)
}

// create makes a new file. It takes the place of a file or link that is there, and makes the directories that the archive has left
// out.
func (u *unpacker) create(name string) (*os.File, error) {
	const flags = os.O_CREATE | os.O_WRONLY | os.O_EXCL
	out, err := u.root.OpenFile(name, flags, 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = u.root.MkdirAll(filepath.Dir(name), 0o777)
	case errors.Is(err, fs.ErrExist):
		if info, look := u.root.Lstat(name); look == nil && info.IsDir() {
			return nil, errors.New("it is a directory here, and a file in the sandbox")
		}
		err = u.root.Remove(name)
	default:
		return out, err
	}
	if err != nil {
		return nil, err
	}
	return u.root.OpenFile(name, flags, 0o600)
}

// link takes the place of a file or link of that name, never of a directory.
func (u *unpacker) link(name string, create func() error) error {
	if err := u.root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	info, err := u.root.Lstat(name)
	switch {
	case err == nil && info.IsDir():
		return errors.New("it is a directory here, and a link in the sandbox")
	case err == nil:
		if err := u.root.Remove(name); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return create()
}

// finish gives the directories below a root their modes and times, the innermost first.
func (u *unpacker) finish(root *os.Root) error {
	for _, header := range slices.Backward(u.directories) {
		if err := root.Chmod(header.Name, header.FileInfo().Mode().Perm()); err != nil {
			return err
		}
		if err := root.Chtimes(header.Name, header.ModTime, header.ModTime); err != nil {
			return err
		}
	}
	return nil
}

// errorGroup runs a few functions at once and keeps the first error.
type errorGroup struct {
	all   sync.WaitGroup
	turns chan struct{}
	mu    sync.Mutex
	err   error
}

func (g *errorGroup) run(do func() error) {
	if g.turns == nil {
		g.turns = make(chan struct{}, atOnce)
	}
	g.turns <- struct{}{}
	g.all.Go(func() {
		defer func() { <-g.turns }()
		if err := do(); err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.err == nil {
				g.err = err
			}
		}
	})
}

func (g *errorGroup) failed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

func (g *errorGroup) wait() error {
	g.all.Wait()
	return g.failed()
}
