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
	"time"
)

// unpacker unpacks an archive into a directory. os.Root rejects every path that leads out of it, also through links.
type unpacker struct {
	root *os.Root
	// selection says what is written and under which names.
	selection selection
	// ownsRoot makes the root directory get the mode and time from the archive.
	ownsRoot bool
	warn     func(string)
	progress *Progress

	directories []attributes
	// recent is the directory of the last file: opening it again would cost more than writing a small file.
	recent     *os.Root
	recentName string

	names   nameMemory
	writers errorGroup
	mu      sync.Mutex
	sums    sums
}

// attributes are set on a directory once its content is complete.
type attributes struct {
	name     string
	mode     fs.FileMode
	modified time.Time
}

// unpack writes every entry. Call finish when they are in their final place.
func (u *unpacker) unpack(archive *tar.Reader) error {
	if u.sums == nil {
		u.sums = sums{}
	}
	if err := u.names.add(0); err != nil { // there may be any number of archives
		return err
	}
	err := u.entries(archive)
	return errors.Join(err, u.closeDirectory())
}

func (u *unpacker) entries(archive *tar.Reader) error {
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = u.names.add(len(header.Name))
		}
		if err != nil {
			return err
		}
		name, copied, err := u.localName(header.Name, header.Typeflag == tar.TypeDir)
		if err == nil && copied {
			source := path.Clean(header.Name)
			header.Name = name
			err = u.entry(header, source, archive)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
		if err := u.writers.failed(); err != nil {
			return err
		}
	}
}

// localName returns the local name of an entry, and whether it is copied. Names that lead out of the root are an error.
func (u *unpacker) localName(name string, isDir bool) (string, bool, error) {
	if path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") {
		return "", false, fmt.Errorf(
			"the archive from the sandbox has an entry %q that would be written outside of the destination", name,
		)
	}
	placed, copied := u.selection.place(path.Clean(name), isDir)
	return filepath.FromSlash(placed), copied, nil
}

// entry writes one entry. Small files are written in parallel; any other kind waits for them, because its meaning may
// depend on them.
func (u *unpacker) entry(header *tar.Header, source string, from io.Reader) error {
	if header.Typeflag == tar.TypeReg && header.Size <= smallFile {
		data := make([]byte, header.Size)
		if _, err := io.ReadFull(from, data); err != nil {
			return err
		}
		dir, err := u.openDirectory(filepath.Dir(header.Name))
		if err != nil {
			return err
		}
		u.writers.run(func() error { return u.file(dir, header, source, bytes.NewReader(data)) })
		return nil
	}
	if err := u.closeDirectory(); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return u.directory(header)
	case tar.TypeReg:
		dir, err := u.openDirectory(filepath.Dir(header.Name))
		if err != nil {
			return err
		}
		return u.file(dir, header, source, from)
	case tar.TypeSymlink:
		return u.link(header.Name, func() error { return u.root.Symlink(header.Linkname, header.Name) })
	case tar.TypeLink:
		first, copied, err := u.localName(header.Linkname, false)
		if err == nil && !copied {
			err = fmt.Errorf("it is a hard link to %s, which is left out", header.Linkname)
		}
		if err != nil {
			return err
		}
		return u.link(header.Name, func() error { return u.root.Link(first, header.Name) })
	}
	u.warn(fmt.Sprintf("%s is skipped: it is neither a file, a directory nor a link", header.Name))
	return nil
}

// openDirectory opens a directory below the root, and creates it if the archive has omitted it.
func (u *unpacker) openDirectory(name string) (*os.Root, error) {
	if name == "." {
		return u.root, nil
	}
	if u.recent != nil && u.recentName == name {
		return u.recent, nil
	}
	if err := u.closeDirectory(); err != nil {
		return nil, err
	}
	dir, err := u.root.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := u.root.MkdirAll(name, 0o777); err != nil {
			return nil, err
		}
		dir, err = u.root.OpenRoot(name)
	}
	u.recent, u.recentName = dir, name
	return dir, err
}

// closeDirectory waits for files that are being written, and closes their directory.
func (u *unpacker) closeDirectory() error {
	err := u.writers.wait()
	if u.recent != nil {
		err = errors.Join(err, u.recent.Close())
		u.recent = nil
	}
	return err
}

// directory makes the directory writable until its content is complete.
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
	} else if !u.ownsRoot {
		return nil
	}
	u.directories = append(u.directories, attributes{header.Name, header.FileInfo().Mode().Perm(), header.ModTime})
	return nil
}

// file writes one file to its directory. An interrupted copy leaves the beginning of the file under its final name: the
// tree still has a temporary name, and a resumed copy compares sums.
func (u *unpacker) file(dir *os.Root, header *tar.Header, source string, from io.Reader) error {
	name := filepath.Base(header.Name)
	out, err := create(dir, name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.CopyBuffer(
		writerOnly{io.MultiWriter(out, sum, u.progress)}, from, make([]byte, min(bufferSize, header.Size+1)),
	)
	if err == nil {
		err = dir.Chtimes(name, header.ModTime, header.ModTime)
	}
	if err == nil {
		err = out.Chmod(header.FileInfo().Mode().Perm())
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	u.mu.Lock()
	u.sums[source] = content{sum: sumOf(sum), size: header.Size, modified: header.ModTime}
	u.mu.Unlock()
	return nil
}

// create creates a file. It replaces an existing file or link.
func create(dir *os.Root, name string) (*os.File, error) {
	const flags = os.O_CREATE | os.O_WRONLY | os.O_EXCL
	out, err := dir.OpenFile(name, flags, unfinished)
	if !errors.Is(err, fs.ErrExist) {
		return out, err
	}
	if info, err := dir.Lstat(name); err == nil && info.IsDir() {
		return nil, errors.New("it is a directory here, and a file in the sandbox")
	}
	if err := dir.Remove(name); err != nil {
		return nil, err
	}
	return dir.OpenFile(name, flags, unfinished)
}

// link replaces an existing file or link of that name, never a directory.
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

// finish sets the modes and times of the directories below a root, the innermost first.
func (u *unpacker) finish(root *os.Root) error {
	for _, dir := range slices.Backward(u.directories) {
		if err := root.Chmod(dir.name, dir.mode); err != nil {
			return err
		}
		if err := root.Chtimes(dir.name, dir.modified, dir.modified); err != nil {
			return err
		}
	}
	return nil
}
