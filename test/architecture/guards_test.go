// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named is a test in docs/tests.md: its directory, its function and, perhaps, its row.
var named = regexp.MustCompile("`([a-z0-9/]+)\\.(Test\\w+)(?:/([^`]+))?`")

// namedInPython is a file of tests of the Python client.
var namedInPython = regexp.MustCompile("`clients/python/tests/test_\\w+\\.py`")

func TestEachTestThatTheDocumentNamesExists(t *testing.T) {
	text, err := os.ReadFile("../../docs/tests.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		tests := named.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| failure |") {
			ofPython := namedInPython.FindAllString(line, -1)
			for _, name := range ofPython {
				if _, err := os.Stat(filepath.Join("../..", strings.Trim(name, "`"))); err != nil {
					t.Error(err)
				}
			}
			if rows++; len(tests)+len(ofPython) == 0 {
				t.Errorf("no test in the row %s", line)
			}
		}
		for _, test := range tests {
			dir, function, row := test[1], test[2], test[3]
			if code := testsOf(t, dir); !strings.Contains(code, "\nfunc "+function+"(t *testing.T) {") {
				t.Errorf("%s has no %s", dir, function)
			} else if row != "" && !strings.Contains(code, "\""+row+"\":") {
				t.Errorf("%s of %s has no row %q", function, dir, row)
			}
		}
	}
	if rows < 27 {
		t.Errorf("%d rows", rows)
	}
}

// testsOf is the code of all tests in a directory.
func testsOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
