// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package docs parses the project's documents for tests: the blocks of commands in a page, and its links. README.md
// explains how to write a page that a test can run.
package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Page is one Markdown file.
type Page struct {
	// Path is relative to the root of the repository, with slashes.
	Path   string
	Blocks []Block
	Links  []Link
	// Code contains the inline code.
	Code []Span
	// Anchors are the fragments that links may use.
	Anchors []string
}

// Block is one fenced block.
type Block struct {
	Line     int
	Language string
	Text     string
	// NotRun is the reason why no test runs the block, or empty if it is run.
	NotRun string
}

// Link is the target of a link or a picture.
type Link struct {
	Line   int
	Target string
}

// Span is inline code.
type Span struct {
	Line int
	Text string
}

// elsewhere are the directories of a checkout that do not belong to the repository.
var elsewhere = []string{".git", "bin", "artifacts", "dist"}

// Pages parses all pages below the root of the repository, in the order of their paths.
func Pages(root string) ([]Page, error) {
	var pages []Page
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if entry.IsDir() {
			if slices.Contains(elsewhere, rel) {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(rel) != ".md" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		pages = append(pages, Parse(rel, string(text)))
		return nil
	})
	return pages, err
}

var (
	fence   = regexp.MustCompile("^(\\s*)```+\\s*([A-Za-z]*)")
	mark    = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	span    = regexp.MustCompile("`([^`]+)`")
	heading = regexp.MustCompile(`^#{1,6} +(.+?) *#*$`)
)

// Parse parses one page.
func Parse(name, text string) Page {
	page := Page{Path: name}
	var open *Block
	reason := ""
	for i, line := range strings.Split(text, "\n") {
		switch match := fence.FindStringSubmatch(line); {
		case match != nil && open == nil:
			open = &Block{Line: i + 1, Language: match[2], NotRun: reason}
		case match != nil:
			page.Blocks = append(page.Blocks, *open)
			open = nil
		case open != nil:
			open.Text += line + "\n"
		default:
			page.prose(i+1, line)
		}
		reason = ""
		if match := mark.FindStringSubmatch(line); match != nil {
			reason = match[1]
		}
	}
	return page
}

// prose adds the heading, inline code and links of a line outside of blocks.
func (p *Page) prose(line int, text string) {
	if match := heading.FindStringSubmatch(text); match != nil {
		p.anchor(match[1])
	}
	for _, match := range span.FindAllStringSubmatch(text, -1) {
		p.Code = append(p.Code, Span{line, match[1]})
	}
	for _, match := range link.FindAllStringSubmatch(span.ReplaceAllString(text, ""), -1) {
		p.Links = append(p.Links, Link{line, match[1]})
	}
}

var (
	markup      = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	punctuation = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_ -]`)
)

// anchor adds the fragment of a heading: lower case, without punctuation, with hyphens for spaces, and with a number
// from the second heading of the same name on.
func (p *Page) anchor(title string) {
	title = markup.ReplaceAllString(title, "$1")
	slug := strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
	for name, n := slug, 0; ; n++ {
		if n > 0 {
			name = slug + "-" + string(rune('0'+n))
		}
		if !slices.Contains(p.Anchors, name) {
			p.Anchors = append(p.Anchors, name)
			return
		}
	}
}
