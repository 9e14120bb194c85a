// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cp

import (
	"fmt"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// standard is the path that means standard input or output.
const standard = "-"

// side is one of the two arguments.
type side struct {
	// Remote says whether it is in a sandbox.
	Remote bool
	Ref    resolve.Ref
	Path   string
}

// standard says whether it is standard input or output.
func (s side) standard() bool { return !s.Remote && s.Path == standard }

// parse reads NAME:PATH, KIND/NAME:PATH or a local path. A path that begins with "/" or "." is local whatever follows,
// and so is one that begins with a drive letter on Windows.
func parse(text, goos string) (side, error) {
	local := side{Path: text}
	name, path, found := strings.Cut(text, ":")
	switch {
	case text == "":
		return side{}, fmt.Errorf("a path is empty")
	case !found, strings.HasPrefix(text, "/"), strings.HasPrefix(text, "."):
		return local, nil
	case goos == "windows" && len(name) == 1 && (path == "" || path[0] == '\\' || path[0] == '/'):
		return local, nil
	case strings.Contains(name, "\\"):
		return local, nil
	}
	ref, err := resolve.Parse(name)
	if err != nil {
		return side{}, fmt.Errorf("%q: %w; for a local path that has a colon write ./%[1]s", text, err)
	}
	if path == "" {
		return side{}, fmt.Errorf("%q names no path in the sandbox: use %s:PATH", text, name)
	}
	return side{Remote: true, Ref: ref, Path: path}, nil
}
