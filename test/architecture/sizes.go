// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
)

const (
	maxFile     = 300
	maxFunction = 60
	maxMain     = 40
)

// longFiles are the files that may exceed maxFile, each with its reason.
var longFiles = map[string]string{}

// sizes: a file has up to 300 lines, a function's body up to 60. A table of test cases may be longer; another function that
// must be says why in a nolint comment, as the linter wants it.
func sizes(tree *Tree) []Finding {
	var found []Finding
	for _, file := range tree.Files {
		script := strings.HasSuffix(file.Path, ".sh") || file.Path == "Makefile" || file.below(".ci")
		if file.Generated || file.Syntax == nil && !script {
			continue
		}
		if lines := file.lines(); lines > maxFile && longFiles[file.Path] == "" {
			found = append(found, Finding{Path: file.Path, What: fmt.Sprintf("has %d lines, over %d: split it", lines, maxFile)})
		}
		if file.Syntax == nil || file.test() {
			continue
		}
		for _, declaration := range file.Syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil || excused(function) {
				continue
			}
			if lines := tree.line(function.Body.End()) - tree.line(function.Body.Pos()) - 1; lines > maxFunction {
				what := fmt.Sprintf("%s has %d lines, over %d: split it", function.Name.Name, lines, maxFunction)
				found = append(found, Finding{file.Path, tree.line(function.Pos()), what})
			}
		}
	}
	return found
}

func excused(function *ast.FuncDecl) bool {
	if function.Doc == nil {
		return false
	}
	for _, comment := range function.Doc.List {
		rest, ok := strings.CutPrefix(comment.Text, "//nolint:funlen")
		if _, reason, has := strings.Cut(rest, "// "); ok && has && reason != "" {
			return true
		}
	}
	return false
}

// mains: a program's own package is under 40 lines; what it does lives in a package that can be tested.
func mains(tree *Tree) []Finding {
	lines := map[string]int{}
	var order []string
	for _, file := range tree.written() {
		dir := path.Dir(file.Path)
		if file.top() != "cmd" || file.test() || file.Syntax.Name.Name != "main" {
			continue
		}
		if lines[dir] == 0 {
			order = append(order, dir)
		}
		lines[dir] += file.lines()
	}
	var found []Finding
	for _, dir := range order {
		if lines[dir] >= maxMain {
			what := fmt.Sprintf("has %d lines of package main: keep them under %d", lines[dir], maxMain)
			found = append(found, Finding{Path: dir, What: what})
		}
	}
	return found
}
