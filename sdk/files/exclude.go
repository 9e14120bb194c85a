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

// Exclusions are patterns of what is not copied: neither read, nor replaced, nor deleted.
//
// A pattern without a slash matches the name of a file or directory at any depth. A pattern with a slash, also at its
// beginning, matches the path below the directory that is copied, or below the destination of several sources. A slash
// at the end restricts it to directories. * ? and [] match no slash. What a directory contains is excluded with it.
type Exclusions struct{ patterns []exclusion }

type exclusion struct {
	pattern             string // as path.Match understands it
	anchored, directory bool
}

// ParseExclusions parses patterns.
func ParseExclusions(patterns ...string) (Exclusions, error) {
	var e Exclusions
	for _, text := range patterns {
		one, err := parseExclusion(text)
		if err != nil {
			return Exclusions{}, fmt.Errorf("the pattern %q: %w", text, err)
		}
		e.patterns = append(e.patterns, one)
	}
	return e, nil
}

func parseExclusion(text string) (exclusion, error) {
	whole := strings.TrimSuffix(text, "/")
	one := exclusion{directory: whole != text, anchored: strings.Contains(whole, "/")}
	whole = strings.TrimPrefix(strings.TrimPrefix(whole, "./"), "/")
	one.pattern = strings.ReplaceAll(whole, "[!", "[^")
	switch {
	case one.pattern == "" || one.pattern == ".":
		return one, errors.New("it excludes everything")
	case strings.Contains(whole, "**"):
		return one, errors.New("** is not supported: a pattern without a slash matches at any depth")
	case slices.Contains(strings.Split(whole, "/"), ".."):
		return one, errors.New("it leads out of the directory")
	}
	if _, err := path.Match(one.pattern, ""); err != nil {
		return one, errors.New("it has an unfinished set of characters or ends in a backslash")
	}
	return one, nil
}

// excludes reports whether a slash-separated name, or a directory above it, is excluded.
func (e Exclusions) excludes(name string, isDir bool) bool {
	if len(e.patterns) == 0 {
		return false
	}
	for ; name != "." && name != "/"; name, isDir = path.Dir(name), true {
		if slices.ContainsFunc(e.patterns, func(one exclusion) bool { return one.matches(name, isDir) }) {
			return true
		}
	}
	return false
}

func (e exclusion) matches(name string, isDir bool) bool {
	if e.directory && !isDir {
		return false
	}
	if !e.anchored {
		name = path.Base(name)
	}
	found, err := path.Match(e.pattern, name)
	return err == nil && found // its syntax was checked
}

// findWords returns conditions with which find, in the byte-wise locale, finds what is excluded below the roots. It
// leaves out patterns that find understands differently: excludes decides in any case, and find only spares the way of
// the data.
func (e Exclusions) findWords(roots []string) []string {
	var all []string
	add := func(one exclusion, words ...string) {
		if len(all) > 0 {
			all = append(all, "-o")
		}
		if one.directory {
			all = append(all, "-type", "d")
		}
		all = append(all, words...)
	}
	for _, one := range e.patterns {
		switch {
		case strings.ContainsAny(one.pattern, "?["):
		case !one.anchored:
			add(one, "-name", one.pattern)
		case roots == nil:
			add(one, pathWords("./"+one.pattern)...)
		default:
			first, rest, several := strings.Cut(one.pattern, "/")
			for _, root := range roots {
				if found, err := path.Match(first, path.Base(root)); several && err == nil && found {
					add(one, pathWords("./"+globEscapes.Replace(root)+"/"+rest)...)
				}
			}
		}
	}
	return all
}

// pathWords returns find's condition for a path. Its * matches slashes too, so the number of slashes is limited.
func pathWords(pattern string) []string {
	words := []string{"-path", pattern}
	if strings.Contains(pattern, "*") {
		words = append(words, "!", "-path", strings.Repeat("*/", strings.Count(pattern, "/")+1)+"*")
	}
	return words
}

// globEscapes makes a pattern that matches a name.
//
//nolint:gochecknoglobals // read only
var globEscapes = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
