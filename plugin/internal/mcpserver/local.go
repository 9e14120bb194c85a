// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// localPath returns the path of a file or directory of this machine that may be copied from or to. Symbolic links in it
// are resolved, so that it is below the root whatever they point to. The file itself need not exist.
func localPath(root, path string) (string, error) {
	if path == "" || strings.Contains(path, "\x00") || len(path) > maxPath {
		return "", errors.New("local_path is empty, too long, or has a NUL character")
	}
	if filepath.IsAbs(path) {
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return "", outside(path)
		}
		path = relative
	}
	if !filepath.IsLocal(path) {
		return "", outside(path)
	}
	resolved, err := resolveExisting(filepath.Join(root, path))
	if err != nil {
		return "", err
	}
	if relative, err := filepath.Rel(root, resolved); err != nil || !filepath.IsLocal(relative) {
		return "", outside(path)
	}
	return resolved, nil
}

func outside(path string) error {
	return fmt.Errorf("local path %s is outside of the directory that the user has named", quote(path))
}

// resolveExisting resolves the symbolic links in the part of a path that exists. A link that points to nothing is an
// error, because something could be created there.
func resolveExisting(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return resolved, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("local path %s is a symbolic link to something that does not exist", quote(path))
	}
	parent := filepath.Dir(path)
	if parent == path {
		return "", err
	}
	resolved, err = resolveExisting(parent)
	return filepath.Join(resolved, filepath.Base(path)), err
}

// checkDestination checks that a download to a path replaces only what it may replace. name is what the copy is called
// if the destination is a directory.
func checkDestination(path, name string, overwrite bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !overwrite:
		return fmt.Errorf("local path %s exists: set overwrite if it may be replaced", quote(path))
	case info.IsDir():
		if name == "" || name == "." || name == ".." || name == "/" {
			return nil // the content of a directory, which package files keeps inside
		}
		return checkReplaceable(filepath.Join(path, name))
	}
	return checkReplaceable(path)
}

// checkReplaceable refuses what is written to instead of being replaced, which may be a device.
func checkReplaceable(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("local path %s is neither a file nor a directory", quote(path))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
