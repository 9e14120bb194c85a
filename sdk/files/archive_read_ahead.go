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
	// Valid once entries is closed: the files that disappeared before they were read, and why the walk ended.
	gone []string
	err  error
}

// startReadAhead sends the entries in the order of filepath.WalkDir, until the context ends.
func startReadAhead(ctx context.Context, root string) *readAhead {
	a := &readAhead{entries: make(chan *treeEntry, walkQueue)}
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
			if item.info, err = entry.Info(); errors.Is(err, fs.ErrNotExist) {
				a.gone = append(a.gone, at)
				return nil
			} else if err != nil {
				return err
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

// sizeBelow returns the total size of a tree's files, as far as they can be read.
func sizeBelow(root string) int64 {
	var total int64
	if whole, err := filepath.EvalSymlinks(root); err == nil {
		root = whole
	}
	_ = filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // the copy itself reports it
		}
		if info, err := entry.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}
