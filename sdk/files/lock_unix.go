// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package files

import (
	"errors"
	"os"
	"syscall"
)

// lock opens a file or directory and locks it until it is closed. It fails if another copy has locked it. On a file
// system without locks it always succeeds.
func lock(root *os.Root, name string) (*os.File, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
