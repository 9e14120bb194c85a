// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"
)

// platforms finds files for one platform that declare other functions than their counterparts for the others. Tests run
// on one platform and do not compile the counterparts.
func platforms(tree *Tree) []Finding {
	var found []Finding
	declared := map[string][]string{}
	for _, file := range tree.written() {
		declared[file.Path] = signatures(file)
	}
	for name, here := range declared {
		stem, ok := strings.CutSuffix(name, "_windows.go")
		if !ok {
			continue
		}
		other := stem + "_unix.go"
		if there, ok := declared[other]; !ok || !slices.Equal(here, there) {
			what := "declares " + list(here) + ", but " + path.Base(other) + " declares " + list(there)
			found = append(found, Finding{Path: name, What: what})
		}
	}
	return found
}

func list(signatures []string) string {
	if len(signatures) == 0 {
		return "nothing"
	}
	return strings.Join(signatures, " and ")
}

// signatures returns the names and types of the functions that a file declares, sorted.
func signatures(file File) []string {
	var all []string
	for _, declaration := range file.Syntax.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		var signature strings.Builder
		signature.WriteString(function.Name.Name + "(")
		for _, field := range function.Type.Params.List {
			signature.WriteString(strings.Repeat(types.ExprString(field.Type)+",", max(1, len(field.Names))))
		}
		signature.WriteString(")")
		if function.Type.Results != nil {
			for _, field := range function.Type.Results.List {
				signature.WriteString(strings.Repeat(" "+types.ExprString(field.Type), max(1, len(field.Names))))
			}
		}
		all = append(all, signature.String())
	}
	slices.Sort(all)
	return all
}
