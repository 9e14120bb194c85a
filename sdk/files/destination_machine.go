// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// onMachine is a file in a directory of this machine. The caller must close it.
type onMachine struct {
	root *os.Root
	part partialName
	name string
	held *os.File // so that no other copy adopts the partial file
}

func (c *Copier) onMachineAt(target, identity string) (*onMachine, error) {
	root, err := os.OpenRoot(filepath.Dir(target))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(target)
	return &onMachine{root: root, part: c.newLeftover(identityOf(identity, name)), name: name}, nil
}

func (l *onMachine) close() {
	if l.held != nil {
		_ = l.held.Close() // it was read from
	}
	_ = l.root.Close() // the same
}

func (l *onMachine) path() string { return filepath.Join(l.root.Name(), l.part.name) }

func (l *onMachine) hold() {
	if l.held != nil {
		_ = l.held.Close() // of an unusable partial file
	}
	l.held, _ = lock(l.root, l.part.name)
}

func (l *onMachine) existing(context.Context) (int64, string, error) {
	if !l.part.adopt(l.root) {
		return 0, "", nil
	}
	l.hold()
	in, err := l.root.Open(l.part.name)
	if err != nil {
		return 0, "", err
	}
	defer in.Close()
	sum, size, err := sumReader(in)
	return size, sum, err
}

func (l *onMachine) receive(_ context.Context, n int64, in *io.PipeReader) (int64, string, error) {
	flags := os.O_WRONLY
	if n == 0 {
		_ = l.root.Remove(l.part.name) // unusable; if it stays, the next call reports why
		flags |= os.O_CREATE | os.O_EXCL
	}
	out, err := l.root.OpenFile(l.part.name, flags, 0o600)
	if err != nil {
		return 0, "", err
	}
	if n == 0 {
		l.hold()
	}
	if _, err = out.Seek(n, io.SeekStart); err == nil {
		_, err = io.CopyBuffer(writerOnly{out}, in, make([]byte, bufferSize))
	}
	info, statErr := out.Stat()
	if err = errors.Join(err, statErr, out.Close()); err != nil {
		return 0, "", err
	}
	return info.Size(), "", nil
}

func (l *onMachine) commit(_ context.Context, about pathInfo) error {
	mode := about.mode
	if mode == 0 {
		mode = 0o644
	}
	if err := l.root.Chmod(l.part.name, mode); err != nil {
		return err
	}
	if !about.modified.IsZero() {
		if err := l.root.Chtimes(l.part.name, about.modified, about.modified); err != nil {
			return err
		}
	}
	return l.root.Rename(l.part.name, l.name)
}

func (l *onMachine) discard(context.Context) error {
	if err := l.root.Remove(l.part.name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
