// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// IsPattern reports whether a remote path contains characters that match several names.
func IsPattern(remote string) bool { return strings.ContainsAny(remote, "*?[") }

// Expand returns the remote paths that a pattern matches, sorted: the path itself if there is a file of that very name.
// No match is an error.
func (c *Copier) Expand(ctx context.Context, pattern string) ([]string, error) {
	matches, err := c.expand(ctx, pattern)
	if err != nil {
		return nil, err
	}
	all := make([]string, len(matches))
	for i, one := range matches {
		all[i] = one.path
	}
	return all, nil
}

// match is a source in the sandbox.
type match struct {
	kind byte // of what scripts/expand.sh prints
	path string
}

const (
	matchedDirectory = 'd'
	matchedFile      = 'f'
	matchedNothing   = '-'
)

// expand returns what paths and patterns match, each path once.
func (c *Copier) expand(ctx context.Context, patterns ...string) ([]match, error) {
	command := []string{"sh", "-c", compose(expandScript), "sh"}
	for _, pattern := range patterns {
		command = append(command, argument(pattern))
	}
	var all []match
	none, known := "", map[string]bool{}
	err := c.run(ctx, command, &recordReader{handle: func(record string) {
		kind, name, found := strings.Cut(record, " ")
		switch {
		case !found || len(kind) != 1 || known[name]:
		case kind[0] == matchedNothing:
			none = name
		default:
			known[name] = true
			all = append(all, match{kind: kind[0], path: name})
		}
	}})
	switch {
	case stream.Missing(err) && len(patterns) > 1:
		return nil, errors.New("the image has no shell, which copying several files needs: copy them one by one")
	case stream.Missing(err):
		return nil, errors.New("the image has no shell, which patterns need: name the files one by one")
	case err != nil:
		return nil, err
	case none != "" && IsPattern(none):
		return nil, fmt.Errorf("%s: no such file or directory in the sandbox matches", none)
	case none != "" || len(all) == 0:
		return nil, fmt.Errorf("%s: no such file or directory in the sandbox", none)
	}
	return all, nil
}

// matchGroup is a number of sources that are copied in one stream.
type matchGroup struct {
	base         string   // the directory that contains all
	roots, paths []string // below it, and as they are
}

// maxGroup limits the names in a group, in bytes: the sandbox's tar gets them as arguments.
const maxGroup = 256 << 10

// groupMatches splits sources into groups, and those that are copied alone: symbolic links, which are followed; what is
// not a file or a directory; files that the kernel generates, whose size is unknown before they are read; sources of
// which only the content is copied; and what another source contains. Sources that are excluded are left out.
func groupMatches(matches []match, exclude Exclusions) (alone []string, groups []matchGroup, err error) {
	names, clean := copyNames{}, map[string]bool{}
	for _, one := range matches {
		clean[path.Clean(one.path)] = true
	}
	var together []string
	for _, one := range matches {
		name := remotePaths().name(one.path)
		if name != "" && exclude.excludes(name, one.kind == matchedDirectory) {
			continue
		}
		if name != "" {
			if err := names.add(name, one.path); err != nil {
				return nil, nil, err
			}
		}
		if name == "" || one.kind != matchedDirectory && one.kind != matchedFile || generated(one.path) ||
			inside(path.Clean(one.path), clean) {
			alone = append(alone, one.path)
			continue
		}
		together = append(together, one.path)
	}
	for start := 0; start < len(together); {
		end := groupEnd(together, start)
		if group := newGroup(together[start:end]); len(group.paths) > 1 {
			groups = append(groups, group)
		} else {
			alone = append(alone, group.paths...)
		}
		start = end
	}
	return alone, groups, nil
}

// generated reports whether the kernel generates the files at a path.
func generated(remote string) bool {
	return slices.ContainsFunc([]string{"/proc/", "/sys/", "/dev/"}, func(directory string) bool {
		return strings.HasPrefix(path.Clean(remote)+"/", directory)
	})
}

// inside reports whether a directory above the path is among the paths.
func inside(name string, paths map[string]bool) bool {
	for above := path.Dir(name); above != "." && above != "/"; above = path.Dir(above) {
		if paths[above] {
			return true
		}
	}
	return false
}

// groupEnd returns where a group that begins at start ends: where the paths begin at another place, or are too many.
func groupEnd(paths []string, start int) int {
	size, origin := 0, originOf(paths[start])
	for i := start; i < len(paths); i++ {
		if size += len(paths[i]) + 1; i > start && (size > maxGroup || originOf(paths[i]) != origin) {
			return i
		}
	}
	return len(paths)
}

// originOf returns where a path begins: the root, the working directory or one above it. Paths of one origin have a
// directory in common from which none of them leads up.
func originOf(remote string) string {
	clean := path.Clean(remote)
	if path.IsAbs(clean) {
		return "/"
	}
	origin := ""
	for strings.HasPrefix(clean, "../") {
		clean, origin = clean[3:], origin+"../"
	}
	return origin
}

// newGroup returns the group of paths of one origin.
func newGroup(paths []string) matchGroup {
	base := path.Dir(path.Clean(paths[0]))
	for _, one := range paths[1:] {
		for !under(base, path.Clean(one)) {
			base = path.Dir(base)
		}
	}
	group := matchGroup{base: base, paths: paths}
	prefix := strings.TrimSuffix(base, "/") + "/"
	if base == "." {
		prefix = ""
	}
	for _, one := range paths {
		group.roots = append(group.roots, strings.TrimPrefix(path.Clean(one), prefix))
	}
	return group
}

// under reports whether a clean path is below a clean directory.
func under(directory, name string) bool {
	if directory == "." {
		return !path.IsAbs(name)
	}
	return strings.HasPrefix(name, strings.TrimSuffix(directory, "/")+"/")
}
