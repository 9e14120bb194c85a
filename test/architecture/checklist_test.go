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

// namedTest finds "directory.TestName" in backticks.
var namedTest = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)\\w+)`")

func TestEachLineOfTheChecklistNamesTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli-checklist.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "- *open*") {
			continue
		}
		lines++
		tests := namedTest.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("no test is namedTest in: %s", line)
		}
		for _, test := range tests {
			if !defines(t, filepath.Join("../..", filepath.FromSlash(test[1])), test[2]) {
				t.Errorf("%s has no test %s", test[1], test[2])
			}
		}
	}
	if lines < 40 {
		t.Errorf("the checklist has only %d lines", lines)
	}
}

func defines(t *testing.T, directory, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+test+"(") {
			return true
		}
	}
	return false
}
