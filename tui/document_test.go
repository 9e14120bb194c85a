// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const dashboardPage = "../docs/dashboard.md"

// onPage reports whether the page of the dashboard names a key.
func onPage(page, key string) bool {
	arrows := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}
	if arrow, is := arrows[key]; is {
		key = arrow
	}
	if len(key) > 1 { // g and G are two keys, Esc is one
		page = strings.ToLower(page)
	}
	return strings.Contains(page, "`"+key+"`")
}

func TestThePageOfTheDashboardNamesEveryKeyAndCommand(t *testing.T) {
	page, err := os.ReadFile(dashboardPage)
	if err != nil {
		t.Fatal(err)
	}
	all := string(page)
	for _, c := range commands() {
		for _, key := range c.Keys() {
			if !onPage(all, key) {
				t.Errorf("the key %q (%s) is not on the page", key, c.Help().Desc)
			}
		}
	}
	for _, c := range typedCommands() {
		if !strings.Contains(all, "`"+c.names[0]) {
			t.Errorf("the command %q is not on the page", c.names[0])
		}
	}
}

// TestThePageOfTheDashboardNamesTheKeysOfDialogues looks for the keys in the methods press of the dialogues.
func TestThePageOfTheDashboardNamesTheKeysOfDialogues(t *testing.T) {
	text, err := os.ReadFile(dashboardPage)
	if err != nil {
		t.Fatal(err)
	}
	_, page, found := strings.Cut(string(text), "\nIn dialogues:\n")
	if !found {
		t.Fatal("the page has no keys of dialogues")
	}
	page, _, _ = strings.Cut(page, "\n## ")
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv != nil && function.Name.Name == "press" {
				addKeys(keys, function)
			}
		}
	}
	if len(keys) < 15 {
		t.Errorf("found only %d keys", len(keys))
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !onPage(page, strings.ToLower(key)) && !onPage(page, key) {
			t.Errorf("the key %q of a dialogue is not on the page", key)
		}
	}
}

// addKeys adds the keys that a function compares with: strings in cases and keys of maps.
func addKeys(keys map[string]bool, function *ast.FuncDecl) {
	add := func(node ast.Node) {
		for inner := range ast.Preorder(node) {
			if literal, ok := inner.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if key, err := strconv.Unquote(literal.Value); err == nil && key != "" {
					keys[key] = true
				}
			}
		}
	}
	for node := range ast.Preorder(function) {
		switch node := node.(type) {
		case *ast.CaseClause:
			for _, expression := range node.List {
				add(expression)
			}
		case *ast.KeyValueExpr:
			add(node.Key)
		}
	}
}
