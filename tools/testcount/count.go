// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// suite is a testsuites or a testsuite element. Both may contain the children of the other.
type suite struct {
	XMLName xml.Name
	Suites  []suite    `xml:"testsuite"`
	Cases   []testcase `xml:"testcase"`
}

type testcase struct {
	Class   string    `xml:"classname,attr"`
	Name    string    `xml:"name,attr"`
	Failure *struct{} `xml:"failure"`
	Error   *struct{} `xml:"error"`
	Skipped *struct{} `xml:"skipped"`
}

type tally struct {
	passed          int
	failed, skipped []string
}

func (t *tally) add(s suite) {
	for _, c := range s.Cases {
		name := c.Class + " " + c.Name
		switch {
		case c.Failure != nil, c.Error != nil:
			t.failed = append(t.failed, name)
		case c.Skipped != nil:
			t.skipped = append(t.skipped, name)
		default:
			t.passed++
		}
	}
	for _, inner := range s.Suites {
		t.add(inner)
	}
}

func (t *tally) all() int { return t.passed + len(t.failed) + len(t.skipped) }

// countAll adds up the reports at paths. For a directory it reads every JUnit report with the extension .xml below it.
func countAll(paths []string) (tally, error) {
	var total tally
	var problems []error
	for _, path := range paths {
		before := total.all()
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".xml") {
				return err
			}
			return total.read(file)
		})
		if err != nil {
			problems = append(problems, err)
		} else if total.all() == before {
			problems = append(problems, fmt.Errorf("%s: no test ran", path))
		}
	}
	if len(paths) == 0 {
		problems = append(problems, errors.New("name the JUnit files, or directories that have them"))
	}
	return total, errors.Join(problems...)
}

func (t *tally) read(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var report suite
	if err := xml.Unmarshal(data, &report); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if name := report.XMLName.Local; name == "testsuites" || name == "testsuite" {
		t.add(report)
	}
	return nil
}
