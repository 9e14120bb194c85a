// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package files

import (
	"io/fs"
	"syscall"
)

// fileID identifies a file independently of its names.
type fileID struct{ device, inode uint64 }

// hardLinkID returns the identity of a file, and whether it has several names.
func hardLinkID(info fs.FileInfo) (fileID, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Nlink < 2 {
		return fileID{}, false
	}
	return fileID{uint64(stat.Dev), stat.Ino}, true //nolint:unconvert // its type differs between systems
}
