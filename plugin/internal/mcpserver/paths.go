// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

const linkType = fs.ModeSymlink

// remotePath checks a path in a sandbox, and returns it so that no program takes it for an option.
func remotePath(what, path string) (string, error) {
	switch {
	case path == "":
		return "", fmt.Errorf("%s is empty", what)
	case len(path) > maxPath:
		return "", fmt.Errorf("%s has %d bytes, at most %d are possible", what, len(path), maxPath)
	case strings.Contains(path, "\x00"):
		return "", fmt.Errorf("%s has a NUL character", what)
	case strings.HasPrefix(path, "-"):
		return "./" + path, nil
	}
	return path, nil
}

// optionalPath is remotePath for a path that may be empty.
func optionalPath(what, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return remotePath(what, path)
}

func isDeleted(err error) bool {
	return errors.Is(err, sdk.ErrDeleted) || errors.Is(err, sdk.ErrClosed)
}
