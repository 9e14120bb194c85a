// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// CopyProgram copies a program to a file, or into a directory under its own name. The file takes its name when it is
// complete, so that a container that starts meanwhile runs all of it or none.
func CopyProgram(program, target string) (err error) {
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		target = filepath.Join(target, filepath.Base(program))
	}
	source, err := os.Open(program)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	partial, err := os.CreateTemp(filepath.Dir(target), ".sandbox-runtime-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(partial.Name())
		}
	}()
	_, err = io.Copy(partial, source)
	if err := errors.Join(err, partial.Chmod(0o755), partial.Sync(), partial.Close()); err != nil {
		return fmt.Errorf("copy %s to %s: %w", program, target, err)
	}
	return os.Rename(partial.Name(), target)
}
