// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Module is the import path of the tree's root.
const Module = "github.com/agent-sandbox/kubectl-sandbox"

// Tree is a checkout without the files that the build and the tests write.
type Tree struct {
	Files []File
	fset  *token.FileSet
}

// File is one file; Syntax is set for Go.
type File struct {
	Path      string // from the root, with slashes
	Text      []byte
	Syntax    *ast.File
	Generated bool
}

// Finding is one place that breaks a law.
type Finding struct {
	Path string
	Line int // 0: the file as a whole
	What string
}

func (f Finding) String() string {
	if f.Line == 0 {
		return f.Path + ": " + f.What
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.What)
}

// notOurs lists directories at the root that no commit contains.
var notOurs = []string{".git", "bin", "artifacts"}

// Load reads the checkout at root.
func Load(root string) (*Tree, error) {
	tree := &Tree{fset: token.NewFileSet()}
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
			if slices.Contains(notOurs, rel) {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return tree.add(root, rel)
	})
	return tree, err
}

func (t *Tree) add(root, rel string) error {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil {
		return err
	}
	file := File{Path: rel, Text: text}
	if strings.HasSuffix(rel, ".go") {
		file.Syntax, err = parser.ParseFile(t.fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		file.Generated = ast.IsGenerated(file.Syntax)
	}
	t.Files = append(t.Files, file)
	return nil
}

// written returns the Go files that people write.
func (t *Tree) written() []File {
	return slices.DeleteFunc(slices.Clone(t.Files), func(f File) bool { return f.Syntax == nil || f.Generated })
}

func (t *Tree) line(pos token.Pos) int { return t.fset.Position(pos).Line }

// top is the part of the tree that a file belongs to: its first directory, empty for a file at the root.
func (f File) top() string {
	dir, _, nested := strings.Cut(f.Path, "/")
	if !nested {
		return ""
	}
	return dir
}

// test reports whether the file is compiled into tests only.
func (f File) test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// name is the name of the file without its extension and _test.
func (f File) name() string {
	name, _, _ := strings.Cut(path.Base(f.Path), ".")
	return strings.TrimSuffix(name, "_test")
}

func (f File) lines() int {
	count := bytes.Count(f.Text, []byte("\n"))
	if len(f.Text) > 0 && f.Text[len(f.Text)-1] != '\n' {
		count++
	}
	return count
}

// imported maps the names that the file gives its imports to their paths.
func (f File) imported() map[string]string {
	names := map[string]string{}
	for _, spec := range f.Syntax.Imports {
		target := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(target)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = target
	}
	return names
}
