// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"fmt"
	"path"
)

const (
	maxFile = 300
	maxMain = 40
)

// longFiles lists the files that may exceed maxFile, each with its reason.
var longFiles = map[string]string{}

// sizes finds Go files and scripts of over 300 lines. The linter funlen judges functions.
func sizes(tree *Tree) []Finding {
	var found []Finding
	for _, file := range tree.Files {
		if file.Generated || file.Syntax == nil && !script(file) {
			continue
		}
		if lines := file.lines(); lines > maxFile && longFiles[file.Path] == "" {
			found = append(found, Finding{Path: file.Path, What: fmt.Sprintf("has %d lines, over %d: split it", lines, maxFile)})
		}
	}
	return found
}

// mains finds programs below cmd whose main package has 40 lines or more. Code in other packages can be tested.
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
