// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package golden compares output with committed files. `go test -update` writes the files.
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

// Compare fails the test unless the file contains the output. With -update it writes the file instead, for review.
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
		t.Errorf("the output differs from %s, which go test -update writes; got:\n%s", file, got)
	}
}
