// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

const (
	// smallFile is the size up to which files are held in memory, so that several can be read and written in parallel.
	smallFile = 64 * 1024
	// parallelFiles is how many of them.
	parallelFiles = 8
	// walkQueue is how many entries the walk is ahead of the archive.
	walkQueue = 64
)

// treeEntry is one entry of a local tree.
type treeEntry struct {
	path, relative string
	info           fs.FileInfo
	content        chan fileContent // nil unless it is read ahead
}

type fileContent struct {
	data []byte
	err  error
}

type readSeekCloser struct{ *bytes.Reader }

// Close implements io.Closer.
func (readSeekCloser) Close() error { return nil }

// open waits for content that is read ahead, or opens the file. The caller truncates a file that has grown.
func (w *treeEntry) open() (io.ReadSeekCloser, error) {
	if w.content == nil {
		return os.Open(w.path)
	}
	got := <-w.content
	return readSeekCloser{bytes.NewReader(got.data)}, got.err
}

// readAhead walks a tree and reads small files before they are needed.
type readAhead struct {
	entries chan *treeEntry
	// Valid once entries is closed: the files that disappeared before they were read, the directories of other file
	// systems, and why the walk ended.
	gone, mounts []string
	err          error
}

// startReadAhead sends the entries that the filter admits, in the order of filepath.WalkDir, until the context ends.
func startReadAhead(ctx context.Context, root string, filter treeFilter) *readAhead {
	a := &readAhead{entries: make(chan *treeEntry, walkQueue)}
	device := deviceOfRoot(root)
	turns := make(chan struct{}, parallelFiles)
	go func() {
		defer close(a.entries)
		a.err = filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
			if err != nil && at != root && errors.Is(err, fs.ErrNotExist) {
				a.gone = append(a.gone, at)
				return nil
			}
			if err != nil {
				return err
			}
			item := &treeEntry{path: at}
			if item.relative, err = filepath.Rel(root, at); err != nil {
				return err
			}
			if !filter.admits(item.relative, entry.IsDir()) {
				return skipped(entry)
			}
			if item.info, err = entry.Info(); errors.Is(err, fs.ErrNotExist) {
				a.gone = append(a.gone, at)
				return nil
			} else if err != nil {
				return err
			}
			if filter.crosses(item.info, device) {
				a.mounts = append(a.mounts, at)
				return fs.SkipDir
			}
			if item.info.Mode().IsRegular() && item.info.Size() <= smallFile {
				item.content = make(chan fileContent, 1)
				select {
				case turns <- struct{}{}:
				case <-ctx.Done():
					return ctx.Err()
				}
				go func() {
					content, err := os.ReadFile(at)
					<-turns
					item.content <- fileContent{content, err}
				}()
			}
			select {
			case a.entries <- item:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return a
}

// treeFilter decides what is copied of a local tree.
type treeFilter struct {
	// admit, if not nil, receives slash-separated names below prefix.
	admit          func(name string, isDir bool) bool
	prefix         string
	allFilesystems bool
}

// admits reports whether the entry of a relative path is copied. The root always is.
func (f treeFilter) admits(relative string, isDir bool) bool {
	return relative == "." || f.admit == nil || f.admit(path.Join(f.prefix, filepath.ToSlash(relative)), isDir)
}

// crosses reports whether a directory that is not copied is on another file system than the root.
func (f treeFilter) crosses(info fs.FileInfo, root uint64) bool {
	device, known := deviceOf(info)
	return known && info.IsDir() && !f.allFilesystems && device != root
}

// deviceOfRoot returns the file system of a tree; 0 if that is unknown.
func deviceOfRoot(root string) uint64 {
	info, err := os.Lstat(root)
	if err != nil {
		return 0 // the walk reports it
	}
	device, _ := deviceOf(info)
	return device
}

// skipped returns what makes a walk leave out an entry.
func skipped(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// sizeBelow returns the total size of a tree's files, as far as they are admitted and can be read.
func sizeBelow(root string, filter treeFilter) int64 {
	var total int64
	if whole, err := filepath.EvalSymlinks(root); err == nil {
		root = whole
	}
	device := deviceOfRoot(root)
	_ = filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the copy itself reports it
		}
		info, gone := entry.Info()
		relative, outside := filepath.Rel(root, at)
		if gone != nil || outside != nil {
			return nil //nolint:nilerr // the copy itself reports it
		}
		switch {
		case !filter.admits(relative, entry.IsDir()) || filter.crosses(info, device):
			return skipped(entry)
		case info.Mode().IsRegular():
			total += info.Size()
		}
		return nil
	})
	return total
}
