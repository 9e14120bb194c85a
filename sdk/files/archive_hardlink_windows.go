// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import "io/fs"

// fileID identifies a file independently of its names.
type fileID struct{}

// hardLinkID detects no hard links on Windows: each name is copied as a file.
func hardLinkID(fs.FileInfo) (fileID, bool) { return fileID{}, false }
