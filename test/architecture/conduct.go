// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

const metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// clocks: outside programs and tests the time comes in as an argument or a clock.
func clocks(tree *Tree) []Finding {
	free := []string{"cmd", "test", "tools", "hack"}
	return tree.uses(func(file File) bool { return !file.test() && !slices.Contains(free, file.top()) }, map[string][]string{
		"time": {"Now", "Since", "Until", "Sleep"},
		metav1: {"Now", "NowMicro"},
	}, "reads the clock: take the time as an argument, or a clock.PassiveClock")
}

// tests: a skipped test proves nothing, and one that sleeps is slow or flaky.
func tests(tree *Tree) []Finding {
	inTests := func(file File) bool { return file.test() || file.top() == "test" && !file.below("test/cluster") }
	found := tree.uses(inTests, map[string][]string{"time": {"Sleep"}}, "sleeps: own the clock, or wait for a condition")
	for _, file := range tree.written() {
		if !inTests(file) {
			continue
		}
		for selector := range selectors(file) {
			if slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, selector.Sel.Name) {
				found = append(found, Finding{file.Path, tree.line(selector.Pos()), "skips: make the test run everywhere, or delete it"})
			}
		}
	}
	return found
}

// uses finds what the files use of the listed packages, whatever they call the import.
func (t *Tree) uses(judged func(File) bool, banned map[string][]string, what string) []Finding {
	var found []Finding
	for _, file := range t.written() {
		if !judged(file) {
			continue
		}
		packages := file.imported()
		for selector := range selectors(file) {
			from, ok := selector.X.(*ast.Ident)
			if !ok || !slices.Contains(banned[packages[from.Name]], selector.Sel.Name) {
				continue
			}
			found = append(found, Finding{file.Path, t.line(selector.Pos()), from.Name + "." + selector.Sel.Name + " " + what})
		}
	}
	return found
}

func selectors(file File) func(yield func(*ast.SelectorExpr) bool) {
	return func(yield func(*ast.SelectorExpr) bool) {
		for node := range ast.Preorder(file.Syntax) {
			if selector, ok := node.(*ast.SelectorExpr); ok && !yield(selector) {
				return
			}
		}
	}
}

// state: nothing happens because a package is imported, and no package remembers anything. Seen is what syntax shows: init,
// and variables that are made to be changed (locks, made maps and channels).
func state(tree *Tree) []Finding {
	var found []Finding
	for _, file := range tree.written() {
		if file.test() {
			continue
		}
		for _, declaration := range file.Syntax.Decls {
			at := tree.line(declaration.Pos())
			switch declared := declaration.(type) {
			case *ast.FuncDecl:
				if declared.Name.Name == "init" && declared.Recv == nil {
					found = append(found, Finding{file.Path, at, "init runs unasked: let the caller call a function"})
				}
			case *ast.GenDecl:
				if declared.Tok == token.VAR && mutable(declared) {
					found = append(found, Finding{file.Path, at, "package state: put it in a value that somebody owns"})
				}
			}
		}
	}
	return found
}

func mutable(declaration *ast.GenDecl) bool {
	for _, spec := range declaration.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if lock(value.Type) {
			return true
		}
		for _, expression := range value.Values {
			switch made := expression.(type) {
			case *ast.CallExpr:
				if name, ok := made.Fun.(*ast.Ident); ok && name.Name == "make" {
					return true
				}
			case *ast.CompositeLit:
				if lock(made.Type) {
					return true
				}
			}
		}
	}
	return false
}

func lock(expression ast.Expr) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := selector.X.(*ast.Ident)
	return ok && (from.Name == "sync" || from.Name == "atomic")
}

const (
	copyright = "Copyright 2026 The kubectl-sandbox Authors."
	licence   = "SPDX-License-Identifier: Apache-2.0"
)

// licences: the text is in LICENSE, and Go files (generated ones too) and scripts say so before their first statement.
func licences(tree *Tree) []Finding {
	var found []Finding
	whole := false
	for _, file := range tree.Files {
		switch {
		case file.Path == "LICENSE":
			whole = strings.Contains(string(file.Text), "Apache License") && file.lines() > 190
		case file.Syntax != nil:
			header, _, _ := strings.Cut(string(file.Text), "\npackage ")
			if !strings.Contains(header+"\n", "// "+copyright+"\n// "+licence+"\n") {
				found = append(found, Finding{Path: file.Path, What: "lacks the licence header of CONTRIBUTING.md"})
			}
		case strings.HasSuffix(file.Path, ".sh"), file.below(".ci"), file.Path == "Makefile", file.Path == "Dockerfile":
			if !strings.Contains(string(file.Text), "# "+copyright+"\n# "+licence+"\n") {
				found = append(found, Finding{Path: file.Path, What: "lacks the licence header of CONTRIBUTING.md"})
			}
		}
	}
	if !whole {
		found = append(found, Finding{Path: "LICENSE", What: "is missing or not the whole text of the Apache License 2.0"})
	}
	return found
}
