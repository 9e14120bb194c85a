// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTheRepositoryKeepsItsLaws(t *testing.T) {
	tree, err := Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(tree.Files, func(f File) bool { return f.Path == "go.mod" }) {
		t.Fatal("../.. is not the root of the repository")
	}
	for _, law := range Laws() {
		t.Run(law.Name, func(t *testing.T) {
			for _, finding := range law.Check(tree) {
				t.Error(finding)
			}
		})
	}
}

func TestExceptionsAreStillNeeded(t *testing.T) {
	for name, reason := range longFiles {
		text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
		if err != nil || reason == "" || (File{Text: text}).lines() <= maxFile {
			t.Errorf("longFiles lists %s, which is gone, short enough, or without a reason", name)
		}
	}
}

const header = "// " + copyright + "\n// " + licence + "\n\n"

// goFile is a file that breaks no law but by its body.
func goFile(pkg string, body ...string) string {
	return header + "// Package " + pkg + " is an example.\npackage " + pkg + "\n\n" + strings.Join(body, "\n") + "\n"
}

func lines(count int) string { return strings.Repeat("\t_ = 0\n", count) }

func TestLawsOnSmallTrees(t *testing.T) {
	for name, test := range smallTrees() {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if test.files["LICENSE"] == "" {
				test.files["LICENSE"] = strings.Repeat("Apache License\n", 200)
			}
			write(t, root, test.files)
			tree, err := Load(root)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, law := range Laws() {
				for _, finding := range law.Check(tree) {
					got = append(got, law.Name+": "+finding.Path)
				}
			}
			var want []string
			if test.broken != "" {
				want = []string{test.broken + ": " + test.at}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q\nwant %q", got, want)
			}
		})
	}
}

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoadRefusesATreeThatDoesNotParse(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"apis/a.go": "package"})
	if _, err := Load(root); err == nil {
		t.Error("a syntax error went unnoticed")
	}
}
