// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const (
	root = "../../"
	apis = root + "apis"
	page = root + "docs/reference/vocabulary.md"
)

func TestTheCommittedReferenceIsWhatTheConstantsSay(t *testing.T) {
	is, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want, err := reference(os.DirFS(apis))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(is), string(want)); diff != "" {
		t.Errorf("run make generate (-committed +wanted):\n%s", diff)
	}
}

// sources parses the Go files of a directory of the repository, without tests.
func sources(t *testing.T, directory string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(filepath.Join(root, directory), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

func TestWhatTheProgramsUseIsInTheReference(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, values, err := load(os.DirFS(apis))
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, directory := range []string{"operator", "plugin", "router", "runtime", "sdk", "tui"} {
		for name, file := range sources(t, directory) {
			for node := range ast.Preorder(file) {
				use, ok := node.(*ast.SelectorExpr)
				if !ok || kindOf(use.Sel.Name) == "" {
					continue
				}
				of, ok := use.X.(*ast.Ident)
				value, isConstant := values.Lookup(use.Sel.Name).(*types.Const)
				if !ok || of.Name != "apis" || !isConstant {
					continue
				}
				used++
				if !strings.Contains(string(text), "| `"+constant.StringVal(value.Val())+"` |") {
					t.Errorf("%s uses apis.%s, which is not on the page", name, use.Sel.Name)
				}
			}
		}
	}
	if used < 100 {
		t.Errorf("found only %d uses of constants", used)
	}
}

// reporters are the functions of the operator that take a reason or an action.
var reporters = regexp.MustCompile(`^(rejectf|Record|recordEvent|emitEvent|warn|NewCondition|add)$`)

// word matches what a reason or an action looks like.
var word = regexp.MustCompile(`^([A-Z][a-z]+)+$`)

func TestTheOperatorReportsNothingThatIsNoConstantOfApis(t *testing.T) {
	reports := 0
	for name, file := range sources(t, "operator") {
		for node := range ast.Preorder(file) {
			call, ok := node.(*ast.CallExpr)
			if !ok || !reporters.MatchString(called(call)) {
				continue
			}
			reports++
			for _, argument := range call.Args {
				literal, ok := argument.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					continue
				}
				if text, err := strconv.Unquote(literal.Value); err == nil && word.MatchString(text) {
					t.Errorf("%s: %s(... %s ...): declare it in apis, and say what it means", name, called(call), literal.Value)
				}
			}
		}
	}
	if reports < 30 {
		t.Errorf("found only %d reports", reports)
	}
}

// called returns the name of the function that is called.
func called(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}

func TestWhatAConstantHasToSay(t *testing.T) {
	const reasons = "// Reasons. The operator writes them.\nconst (\n"
	tests := map[string]struct{ constants, page, refused string }{
		"a condition or reason: where it is, and what it means": {
			constants: reasons + "// ReasonA means that it is so. And so. In Ready=False.\nReasonA = \"A\"\n)",
			page: "## Reasons\n\nThe operator writes them.\n\n| reason | in | meaning |\n| --- | --- | --- |\n" +
				"| `A` | Ready=False | It is so. And so. |\n",
		},
		"a label or annotation: also who writes it": {
			constants: "const group = \"x\"\n// Labels.\nconst (\n" +
				"// LabelA is the a|b. On Pods. Written by the operator.\nLabelA = group + \"/a\"\n)",
			page: "## Labels\n\n| label | on | written by | meaning |\n| --- | --- | --- | --- |\n" +
				"| `x/a` | Pods | The operator | The a\\|b. |\n",
		},
		"no comment": {constants: reasons + "ReasonA = \"A\"\n)", refused: "ReasonA needs a comment"},
		"another name": {
			constants: reasons + "// ReasonB is it. In X.\nReasonA = \"A\"\n)", refused: "ReasonA needs a comment",
		},
		"not where it is": {
			constants: reasons + "// ReasonA is it.\nReasonA = \"A\"\n)", refused: "ReasonA does not say where",
		},
		"no text": {constants: reasons + "// ReasonA is it. In X.\nReasonA = 1\n)", refused: "ReasonA is no string"},
		"nobody who writes them": {
			constants: "// Labels.\nconst (\n// LabelA is it. On X.\nLabelA = \"A\"\n)", refused: "say who writes",
		},
		"some with a writer": {
			constants: "// Labels.\nconst (\n// LabelA is it. On X. Written by Y.\nLabelA = \"A\"\n" +
				"// LabelB is it. On X.\nLabelB = \"B\"\n)",
			refused: "A and B",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := &fstest.MapFile{Data: []byte("package apis\n\nimport \"not/there\"\n\n" + test.constants + "\n")}
			got, err := reference(fstest.MapFS{"a.go": file})
			if (err != nil) != (test.refused != "") || err != nil && !strings.Contains(err.Error(), test.refused) {
				t.Fatalf("error %v, want %q", err, test.refused)
			}
			if err == nil && string(got) != preface+"\n"+test.page {
				t.Errorf("(-want +got):\n%s", cmp.Diff(preface+"\n"+test.page, string(got)))
			}
		})
	}
}
