// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"path"
	"path/filepath"
	"strings"
)

// pathRules is where a copy goes, on either side. Paths are those of its side.
type pathRules struct {
	// join and base are path's for the sandbox, filepath's for this machine.
	join       func(...string) string
	base       func(string) string
	separators string
}

func remotePaths() pathRules { return pathRules{join: path.Join, base: path.Base, separators: "/"} }

func localPaths() pathRules {
	return pathRules{join: filepath.Join, base: filepath.Base, separators: "/" + string(filepath.Separator)}
}

// endsInDirectory says whether the path asks for the copy to be put inside of it: it ends in a slash, or is "." or "..".
func (p pathRules) endsInDirectory(dst string) bool {
	last := dst[strings.LastIndexAny(dst, p.separators)+1:]
	return last == "" || last == "." || last == ".."
}

// fileTarget is the name of the copy of a file: inside of dst if that asks for it or is a directory, else dst itself.
func (p pathRules) fileTarget(name, dst string, isDirectory bool) string {
	if p.endsInDirectory(dst) || isDirectory {
		return p.join(dst, name)
	}
	return p.join(dst)
}

// directoryTarget is the root of the copy of a directory. Without a name (the source asks for its content) it is dst. Whether
// dst exists does not matter: a second copy would end elsewhere than the first.
func (p pathRules) directoryTarget(name, dst string) string {
	if name != "" && p.endsInDirectory(dst) {
		return p.join(dst, name)
	}
	return p.join(dst)
}

// name is what a copy of the source is called: empty if the source asks for its content, because it ends in a slash or
// has no name of its own.
func (p pathRules) name(src string) string {
	if p.endsInDirectory(src) {
		return ""
	}
	return p.base(src)
}

// argument keeps a remote path from being taken for an option.
func argument(remote string) string {
	if strings.HasPrefix(remote, "-") {
		return "./" + remote
	}
	return remote
}
