// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheDocumentAndTheHelpHaveEveryExitCode compares both with the constants.
func TestTheDocumentAndTheHelpHaveEveryExitCode(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "internal/cli/exitcode.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`^Exit[A-Z]`)
	var declared []string
	for node := range ast.Preorder(file) {
		spec, ok := node.(*ast.ValueSpec)
		if ok && name.MatchString(spec.Names[0].Name) {
			declared = append(declared, spec.Values[0].(*ast.BasicLit).Value)
		}
	}
	page, err := os.ReadFile("../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for where, listed := range map[string][]string{
		"docs/exit-codes.md": firstGroups(`(?m)^\| (\d+) \|`, string(page)),
		"the help":           firstGroups(`(?m)^  (\d+) `, exitCodes),
	} {
		slices.Sort(declared)
		slices.Sort(listed)
		if diff := cmp.Diff(declared, listed); diff != "" {
			t.Errorf("%s (-constants +listed):\n%s", where, diff)
		}
	}
}

// firstGroups returns the first group of each match.
func firstGroups(pattern, text string) []string {
	var all []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}
