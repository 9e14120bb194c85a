// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package files

import (
	"io/fs"
	"syscall"
)

// hasModes reports whether files on this machine have the modes that they had in a sandbox.
const hasModes = true

// fileID identifies a file independently of its names.
type fileID struct{ device, inode uint64 }

// deviceOf returns what identifies the file system of a file.
func deviceOf(info fs.FileInfo) (uint64, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Dev), true //nolint:unconvert // its type differs between systems
}

// hardLinkID returns the identity of a file, and whether it has several names.
func hardLinkID(info fs.FileInfo) (fileID, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Nlink < 2 {
		return fileID{}, false
	}
	return fileID{uint64(stat.Dev), stat.Ino}, true //nolint:unconvert // its type differs between systems
}
