// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import "io/fs"

// hasModes reports whether files on this machine have the modes that they had in a sandbox.
const hasModes = false

// fileID identifies a file independently of its names.
type fileID struct{}

// hardLinkID detects no hard links on Windows: each name is copied as a file.
func hardLinkID(fs.FileInfo) (fileID, bool) { return fileID{}, false }

// deviceOf does not tell file systems apart on Windows.
func deviceOf(fs.FileInfo) (uint64, bool) { return 0, false }
