// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"go/ast"
	"strings"
)

// printing finds commands that write to their streams with package fmt. What they print may contain text from the
// cluster, which package printable makes safe for a terminal.
func printing(tree *Tree) []Finding {
	var found []Finding
	for _, file := range tree.written() {
		if file.test() || file.top() != "plugin" {
			continue
		}
		packages := file.imported()
		for node := range ast.Preorder(file.Syntax) {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				continue
			}
			function, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !strings.HasPrefix(function.Sel.Name, "Fprint") {
				continue
			}
			from, ok := function.X.(*ast.Ident)
			stream, isField := call.Args[0].(*ast.SelectorExpr)
			if ok && isField && packages[from.Name] == "fmt" && (stream.Sel.Name == "Out" || stream.Sel.Name == "ErrOut") {
				found = append(
					found, Finding{file.Path, tree.line(call.Pos()), "prints what others may have written: use printable.Fprintf"},
				)
			}
		}
	}
	return found
}
