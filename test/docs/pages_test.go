// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	all := pages(t)
	anchors := map[string][]string{}
	for _, page := range all {
		anchors[page.Path] = page.Anchors
	}
	linked := map[string]bool{"README.md": true}
	for _, page := range all {
		for _, link := range page.Links {
			if strings.Contains(link.Target, "://") || strings.HasPrefix(link.Target, "mailto:") {
				continue
			}
			file, fragment, _ := strings.Cut(link.Target, "#")
			target := page.Path
			if file != "" {
				target = path.Join(path.Dir(page.Path), file)
				linked[target] = linked[target] || target != page.Path
			}
			if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(target))); err != nil ||
				strings.HasPrefix(target, "..") {
				t.Errorf("%s:%d: %s leads nowhere", page.Path, link.Line, link.Target)
			} else if fragment != "" &&
				!slices.Contains(anchors[target], fragment) {
				t.Errorf(
					"%s:%d: %s has no heading #%s; it has %s", page.Path, link.Line, target, fragment,
					strings.Join(anchors[target], ", "),
				)
			}
		}
	}
	for _, page := range all {
		if strings.HasPrefix(page.Path, "docs/") && !linked[page.Path] {
			t.Errorf("%s: no other page leads here", page.Path)
		}
	}
}

func TestEveryBlockSaysWhatItIs(t *testing.T) {
	// Those of Python are run by the tests of the Python client.
	known := []string{Shell, Console, YAML, "go", "python", "text"}
	for _, page := range pages(t) {
		for _, block := range page.Blocks {
			if !slices.Contains(known, block.Language) {
				t.Errorf(
					"%s:%d: a block of %q: say which of %s it is", page.Path, block.Line, block.Language, strings.Join(known, ", "),
				)
			}
			if block.Language == Console && !strings.HasPrefix(block.Text, "$ ") {
				t.Errorf("%s:%d: a console block begins with \"$ \"", page.Path, block.Line)
			}
		}
	}
}

func TestPagesAreReadAsTheyAreWritten(t *testing.T) {
	page := Parse("a.md", strings.Join([]string{
		"# A `title`, with [a link](b.md#c)",
		"",
		"See ![a picture](p.svg) and `kubectl sandbox list` or `[no](link)`.",
		"",
		"## Twice",
		"",
		"## Twice",
		"",
		"<!-- not run: it needs a moon -->",
		"```sh",
		"launch  # comment",
		"```",
		"",
		"```console",
		"$ echo \\",
		"> one",
		"one",
		"$ true",
		"$ echo two",
		"two",
		"",
		"and",
		"```",
	}, "\n"))
	want := Page{
		Path: "a.md",
		Blocks: []Block{
			{Line: 10, Language: "sh", Text: "launch  # comment\n", NotRun: "it needs a moon"},
			{Line: 14, Language: "console", Text: "$ echo \\\n> one\none\n$ true\n$ echo two\ntwo\n\nand\n"},
		},
		Links:   []Link{{1, "b.md#c"}, {3, "p.svg"}},
		Code:    []Span{{1, "title"}, {3, "kubectl sandbox list"}, {3, "[no](link)"}},
		Anchors: []string{"a-title-with-a-link", "twice", "twice-1"},
	}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	steps := []Step{
		{Line: 15, Script: "echo \\\none\n", Prints: "one\n"}, {Line: 18, Script: "true\n"},
		{Line: 19, Script: "echo two\n", Prints: "two\n\nand\n"},
	}
	if diff := cmp.Diff(steps, page.Run()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
