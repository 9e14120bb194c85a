// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package golden compares what a program shows with files that were looked at and committed. `go test -update` writes them.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

//nolint:gochecknoglobals // package flag needs it before a test runs
var update = flag.Bool("update", false, "write the golden files")

// Compare fails the test unless the file has what was got. With -update it writes the file instead, for somebody to read.
func Compare(t testing.TB, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("not as in %s, which go test -update writes; got:\n%s", file, got)
	}
}
