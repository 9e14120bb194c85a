// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// save writes lines to a new file that only the user may read: a log may have secrets.
func save(path string, lines []string) (message string, err error) {
	path = strings.TrimSpace(path)
	if path == "" {
		return "", errors.New("no file given")
	}
	if below, is := strings.CutPrefix(path, "~/"); is {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		path = filepath.Join(home, below)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s exists: give another name", path)
	}
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(strings.Join(append(slices.Clip(lines), ""), "\n"))
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(path)) // a part of the log looks like all of it
	}
	return fmt.Sprintf("%d lines saved to %s", len(lines), path), nil
}
