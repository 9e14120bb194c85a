// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/plugin"
)

// selectsAll reports whether a command selects all objects of a namespace, which a reader may share with other users.
func selectsAll(words []string) bool {
	if len(words) < 2 || filepath.Base(words[0]) != "kubectl" || !slices.Contains(words, "--all") {
		return false
	}
	return slices.ContainsFunc(
		words, func(word string) bool { return slices.Contains([]string{"delete", "suspend", "resume", "scale"}, word) },
	)
}

func TestNoDocumentSelectsAllSandboxesOfANamespace(t *testing.T) {
	look := func(where, script string) {
		calls, err := Calls(script)
		if err != nil {
			calls = [][]string{strings.Fields(script)}
		}
		for _, call := range calls {
			if selectsAll(call) {
				t.Errorf("%s: %s: name the objects, or select them by a label of their own", where, strings.Join(call, " "))
			}
		}
	}
	for _, page := range pages(t) {
		for i := range page.Blocks {
			if page.Blocks[i].Commands() {
				for _, step := range page.Blocks[i].Steps() {
					look(page.Path, step.Script)
				}
			}
		}
		for _, span := range page.Code {
			look(page.Path, span.Text)
		}
	}
	for _, command := range commandTree(plugin.Reference()) {
		look("the help of "+command.CommandPath(), command.Example)
	}
	err := filepath.WalkDir(filepath.Join(repository, "examples"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			if at := strings.Index(line, "kubectl "); at >= 0 {
				look(name, strings.TrimSpace(line[at:]))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func commandTree(command *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{command}
	for _, child := range command.Commands() {
		all = append(all, commandTree(child)...)
	}
	return all
}

func TestWhatSelectsAllIsFound(t *testing.T) {
	for line, want := range map[string]bool{
		"kubectl sandbox delete --all --yes":               true,
		"kubectl agent-sandbox suspend --all":              true,
		"kubectl delete sandboxclaims --all":               true,
		"kubectl sandbox delete -l team=a --yes":           false,
		"kubectl sandbox list --all-namespaces":            false,
		"kubectl sandbox delete NAME... | --all | -l TEXT": false, // a usage
	} {
		calls, err := Calls(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(calls, selectsAll); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
