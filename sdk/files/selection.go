// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// selection is what is copied of a directory of the sandbox. Names are slash-separated paths below it. The zero value
// is everything.
type selection struct {
	// roots are the files and directories to be copied; nil for the directory itself. The copy of a root is called by
	// the last element of its name.
	roots   []string
	isRoot  map[string]bool
	exclude Exclusions
	// mounts are directories below the roots on which other file systems are mounted, which are left out.
	mounts []string
	// only, if not nil, are the names to be copied.
	only map[string]bool
	// names are the names to be archived, in this order; nil for all that are selected.
	names []string
}

// selectRoots returns the selection of some files and directories.
func selectRoots(roots []string) selection {
	s := selection{roots: roots, isRoot: map[string]bool{}}
	for _, root := range roots {
		s.isRoot[root] = true
	}
	return s
}

// place returns what the copy of an entry is called below the destination, and whether it is copied.
func (s selection) place(name string, isDir bool) (string, bool) {
	placed, found := s.belowRoot(name)
	if !found || s.only != nil && !s.only[name] {
		return "", false
	}
	for _, mount := range s.mounts {
		if name == mount || strings.HasPrefix(name, mount+"/") {
			return "", false
		}
	}
	return placed, !s.exclude.excludes(placed, isDir)
}

func (s selection) belowRoot(name string) (string, bool) {
	if s.roots == nil {
		return name, true
	}
	for above := name; above != "." && above != "/"; above = path.Dir(above) {
		if s.isRoot[above] {
			return path.Base(above) + strings.TrimPrefix(name, above), true
		}
	}
	return "", false
}

// places returns the sums under the names of the copies.
func (s selection) places(of sums) sums {
	placed := sums{}
	for name, content := range of {
		if at, copied := s.place(name, false); copied {
			placed[at] = content
		}
	}
	return placed
}

// leavesOut reports whether the selection is not all of the roots, so that tar needs names.
func (s selection) leavesOut() bool { return len(s.mounts) > 0 || len(s.exclude.patterns) > 0 }

// possible returns an error if the image lacks what the selection needs.
func (s selection) possible(has imageTools) error {
	if s.program() == "" || has.shell && has.find {
		return nil
	}
	if s.mounts != nil && len(s.exclude.patterns) == 0 {
		return errors.New("the image has no find, which leaving out other file systems needs: use --all-filesystems")
	}
	return errors.New("the image has no find, which leaving something out needs: copy without --exclude")
}

// program returns the selection for read_selection.sh; empty if it is everything.
func (s selection) program() string {
	if s.roots == nil && s.names == nil && !s.leavesOut() {
		return ""
	}
	var text strings.Builder
	if s.leavesOut() {
		text.WriteString("pruned=1\n")
	}
	if len(s.mounts) > 0 {
		text.WriteString("xdev=-xdev\n")
	}
	roots := "."
	if s.roots != nil {
		roots = quoted(below(s.roots)...)
	}
	fmt.Fprintf(&text, "roots() { \"$@\" %s; }\n", roots)
	prune := ""
	if words := s.exclude.findWords(s.roots); len(words) > 0 {
		prune = `! -path . \( ` + quoted(words...) + ` \) -prune -o `
	}
	fmt.Fprintf(&text, "walk() { LC_ALL=C find %s $xdev %s\"$@\"; }\n", roots, prune)
	if s.names != nil {
		text.WriteString("names() {\n")
		writeEach(&text, "each", below(s.names))
		text.WriteString("}\n")
	}
	return text.String()
}

// below returns the names as paths that no program takes for an option.
func below(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = "./" + name
		if name == "." {
			all[i] = "."
		}
	}
	return all
}

// maxWords limits the arguments of one command, in bytes. Linux permits 128 KiB at least.
const maxWords = 64 << 10

// writeEach writes calls of a shell function that pass all names on.
func writeEach(text *strings.Builder, function string, names []string) {
	for len(names) > 0 {
		n, size := 0, 0
		for n < len(names) && (n == 0 || size+len(names[n]) < maxWords) {
			size += len(names[n]) + 1
			n++
		}
		text.WriteString(function + " " + quoted(names[:n]...) + "\n")
		names = names[n:]
	}
}

// quoted quotes words for a shell.
func quoted(words ...string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(all, " ")
}

// topmost returns the directories that are in no other one, sorted.
func topmost(directories []string) []string {
	var all []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(directories))) {
		if !slices.ContainsFunc(all, func(above string) bool { return strings.HasPrefix(name, above+"/") }) {
			all = append(all, name)
		}
	}
	return all
}

// leaveOut adds to the selection what the Copier does not copy: what is excluded, and other file systems that are
// mounted below the roots, about which it warns.
func (c *Copier) leaveOut(s selection, directory string, mounts []string) selection {
	s.exclude = c.exclude
	if c.allFilesystems {
		return s
	}
	var found []string
	for _, mount := range mounts {
		if _, inside := s.belowRoot(path.Dir(mount)); inside {
			found = append(found, mount)
		}
	}
	s.mounts = topmost(found)
	shown := make([]string, len(s.mounts))
	for i, mount := range s.mounts {
		shown[i] = path.Join(directory, mount)
	}
	c.warnMounts(shown)
	return s
}

// warnMounts warns about directories that are left out, once.
func (c *Copier) warnMounts(directories []string) {
	const most = 5
	if len(directories) == 0 || c.warnedMounts {
		return
	}
	c.warnedMounts = true
	text := strings.Join(directories[:min(most, len(directories))], ", ")
	if more := len(directories) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	c.warn(text + ": left out, because another file system is mounted there; --all-filesystems copies it too")
}
