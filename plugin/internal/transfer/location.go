// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// standard is the path that means standard input or output.
const standard = "-"

// Location is a parsed SRC or DST.
type Location struct {
	// Remote reports that the path is in a sandbox.
	Remote bool
	// Place is the text before the colon.
	Place string
	// Namespace is empty for that of the command.
	Namespace string
	Ref       resolve.Ref
	Path      string
}

// IsStandard reports whether the location is standard input or output.
func (s Location) IsStandard() bool { return !s.Remote && s.Path == standard }

// SamePlace reports whether another location is in the same sandbox, or both are on this machine.
func (s Location) SamePlace(other Location) bool {
	return s.Remote == other.Remote && s.Place == other.Place
}

// ParseLocation parses NAME:PATH, with NAMESPACE/ or KIND/ or both before it, or a local path. A path that begins
// with "/" or "." is always local, and so is a path that begins with a drive letter on Windows.
func ParseLocation(text, goos string) (Location, error) {
	local := Location{Path: text}
	name, path, found := strings.Cut(text, ":")
	switch {
	case text == "":
		return Location{}, fmt.Errorf("the path is empty")
	case !found, strings.HasPrefix(text, "/"), strings.HasPrefix(text, "."):
		return local, nil
	case goos == "windows" && len(name) == 1 && (path == "" || path[0] == '\\' || path[0] == '/'):
		return local, nil
	case strings.Contains(name, "\\"):
		return local, nil
	}
	namespace, ref, err := parseName(name)
	if err != nil {
		return Location{}, fmt.Errorf("%q: %w; if this is a local path with a colon, write ./%[1]s", text, err)
	}
	if path == "" {
		return Location{}, fmt.Errorf("%q has no path in the sandbox: use %s:PATH", text, name)
	}
	if user, _, _ := strings.Cut(path, "/"); len(user) > 1 && user[0] == '~' {
		return Location{}, fmt.Errorf("%q: only ~ of the container's own user is known: give the path from / on, or ./%s "+
			"for a file of that name", text, path)
	}
	return Location{Remote: true, Place: name, Namespace: namespace, Ref: ref, Path: path}, nil
}

// parseName parses NAME, KIND/NAME, NAMESPACE/NAME or NAMESPACE/KIND/NAME. A first word that names a kind is the kind.
func parseName(text string) (namespace string, ref resolve.Ref, err error) {
	ref, err = resolve.Parse(text)
	word, rest, slash := strings.Cut(text, "/")
	if err == nil || !slash || len(validation.IsDNS1123Label(word)) > 0 {
		return "", ref, err
	}
	inside, ok := resolve.Parse(rest)
	if ok != nil {
		return "", ref, err
	}
	return word, inside, nil
}
