// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mergeLocally moves the content of one directory below the root into another. Existing directories stay; a file
// replaces a file or link, and nothing replaces a directory.
func mergeLocally(root *os.Root, from, to string) error {
	entries, err := readDir(root, from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		source, target := filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())
		info, err := root.Lstat(target)
		switch {
		case err == nil && info.IsDir() && entry.IsDir():
			err = mergeLocally(root, source, target)
		case err == nil && info.IsDir():
			err = fmt.Errorf("%s is a directory here, and none in the sandbox", target)
		case err == nil && entry.IsDir():
			err = fmt.Errorf("%s is no directory here, and one in the sandbox", target)
		case err == nil || errors.Is(err, fs.ErrNotExist):
			err = root.Rename(source, target)
			if entry.IsDir() && errors.Is(err, fs.ErrExist) {
				err = mergeLocally(root, source, target) // another copy was faster
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
