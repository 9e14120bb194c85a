// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin"
)

func TestEveryCommandHasAPage(t *testing.T) {
	all := pages(plugin.Reference())
	for name, want := range map[string]string{
		"README.md": "[port-forward](port-forward.md)", "exec.md": "kubectl sandbox exec NAME",
		"pool-create.md": "--replicas",
		"pool.md":        "[pool create](pool-create.md)", "exit-codes.md": "255",
	} {
		if !strings.Contains(all[name], want) {
			t.Errorf("%s does not say %q:\n%s", name, want, all[name])
		}
	}
	for name, text := range all {
		for target := range strings.SplitSeq(text, "](") {
			target, _, _ = strings.Cut(target, ")")
			if strings.HasSuffix(target, ".md") && all[target] == "" {
				t.Errorf("%s leads to %s, which there is not", name, target)
			}
		}
	}
}

func TestAPageThatIsNoCommandsAnyMoreGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cli")
	for _, name := range []string{"old.md", "new.md"} {
		if err := write(dir, map[string]string{name: "text"}); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "new.md" {
		t.Errorf("got %v, %v", entries, err)
	}
}

func TestThePagesNameNobodysHomeDirectory(t *testing.T) {
	const home = "/home/whoever-generates"
	t.Setenv("HOME", home)
	for name, text := range pages(plugin.Reference()) {
		if strings.Contains(text, home) {
			t.Errorf("%s has a path of the machine that generates it:\n%s", name, text)
		}
	}
}
