// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCountAll(t *testing.T) {
	const ok, bad = `<testcase name="a"/>`, `<testcase name="b"><failure/></testcase>`
	const skip = `<testcase name="c"><skipped/></testcase>`
	tests := map[string]struct {
		report                  string
		passed, failed, skipped int
		wrong                   bool
	}{
		"suites nest": {
			`<testsuites><testsuite>` + ok + ok + `</testsuite></testsuites>`, 2, 0, 0, false,
		},
		"a lone suite counts": {`<testsuite>` + ok + bad + `</testsuite>`, 1, 1, 0, false},
		"an error is a failure": {
			`<testsuite><testcase name="d"><error/></testcase></testsuite>`, 0, 1, 0, false,
		},
		"a skipped test is told apart":      {`<testsuite>` + ok + skip + `</testsuite>`, 1, 0, 1, false},
		"a report without a test is wrong":  {`<testsuites/>`, 0, 0, 0, true},
		"a report that is cut off is wrong": {`<testsuite>` + ok, 0, 0, 0, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "junit.xml")
			if err := os.WriteFile(file, []byte(test.report), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := countAll([]string{file})
			if got.passed != test.passed || len(got.failed) != test.failed || len(got.skipped) != test.skipped ||
				(err != nil) != test.wrong {
				t.Errorf("got %+v, error %v", got, err)
			}
		})
	}
}

func TestCountAllNamesAMissingReport(t *testing.T) {
	if _, err := countAll([]string{filepath.Join(t.TempDir(), "none.xml")}); err == nil {
		t.Error("a report that is not there went unnoticed")
	}
}
