// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package waits

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// row matches a row of the table: constant and duration.
var row = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| \\S")

func TestTheReferenceListsEachConstantWithItsDuration(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/waits.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]time.Duration{}
	for _, r := range row.FindAllStringSubmatch(string(text), -1) {
		if documented[r[1]], err = time.ParseDuration(r[2]); err != nil {
			t.Errorf("%s: %v", r[1], err)
		}
	}
	if diff := cmp.Diff(declared(t), documented); diff != "" {
		t.Errorf("docs/reference/waits.md (-constants +documented):\n%s", diff)
	}
}

// declared returns the constants of waits.go.
func declared(t *testing.T) map[string]time.Duration {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "waits.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: timeImporter{}}
	pkg, err := config.Check("waits", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]time.Duration{}
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok {
			value, exact := constant.Int64Val(c.Val())
			if !exact {
				t.Errorf("%s is no duration: %s", name, c.Val())
			}
			all[name] = time.Duration(value)
		}
	}
	return all
}

// timeImporter imports the part of package time that waits.go needs: the sources of the standard library may be
// missing.
type timeImporter struct{}

func (timeImporter) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, "time")
	name := types.NewTypeName(token.NoPos, pkg, "Duration", nil)
	duration := types.NewNamed(name, types.Typ[types.Int64], nil)
	pkg.Scope().Insert(name)
	for unit, value := range map[string]time.Duration{
		"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
	} {
		pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, unit, duration, constant.MakeInt64(int64(value))))
	}
	pkg.MarkComplete()
	return pkg, nil
}
