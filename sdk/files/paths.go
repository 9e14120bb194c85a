// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"path"
	"path/filepath"
	"strings"
)

// pathRules are the rules for targets on one side.
type pathRules struct {
	// join and base are those of path for the sandbox, and of filepath for this machine.
	join       func(...string) string
	base       func(string) string
	separators string
}

func remotePaths() pathRules { return pathRules{join: path.Join, base: path.Base, separators: "/"} }

func localPaths() pathRules {
	return pathRules{join: filepath.Join, base: filepath.Base, separators: "/" + string(filepath.Separator)}
}

// endsInDirectory reports whether the path asks for the copy to be put into it: it ends in a slash, or is "." or "..".
func (p pathRules) endsInDirectory(dst string) bool {
	last := dst[strings.LastIndexAny(dst, p.separators)+1:]
	return last == "" || last == "." || last == ".."
}

// fileTarget returns the target of a file: inside dst if that asks for it or is a directory, else dst itself.
func (p pathRules) fileTarget(name, dst string, isDirectory bool) string {
	if p.endsInDirectory(dst) || isDirectory {
		return p.join(dst, name)
	}
	return p.join(dst)
}

// directoryTarget returns the target of a directory. Without a name (the source asks for its content) it is dst.
// Whether dst exists does not matter: otherwise a second copy would have another target than the first.
func (p pathRules) directoryTarget(name, dst string) string {
	if name != "" && p.endsInDirectory(dst) {
		return p.join(dst, name)
	}
	return p.join(dst)
}

// name returns what a copy of the source is called: empty if the source asks for its content, because it ends in a
// slash or has no name.
func (p pathRules) name(src string) string {
	if p.endsInDirectory(src) {
		return ""
	}
	return p.base(src)
}

// argument keeps a remote path from being parsed as an option.
func argument(remote string) string {
	if strings.HasPrefix(remote, "-") {
		return "./" + remote
	}
	return remote
}
