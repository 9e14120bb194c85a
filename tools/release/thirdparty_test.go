// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/tools/modules"
)

func TestNoticesHaveTheTextsOfEveryModule(t *testing.T) {
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := modules.Module{Path: "example.com/a", Version: "v1.0.0", Dir: t.TempDir()}
	write(a.Dir, "LICENSE", "one\n")
	write(a.Dir, "NOTICE", "two\n")
	got, err := notices([]modules.Module{a})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.com/a v1.0.0: LICENSE\n\none\n", "example.com/a v1.0.0: NOTICE\n\ntwo\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if _, err := notices([]modules.Module{{Path: "example.com/none", Dir: t.TempDir()}}); err == nil {
		t.Error("a module without a licence is no error")
	}
}
