// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agent-sandbox/kubectl-sandbox/plugin"
)

const repository = "../.."

// program matches the commands with which documents run the plugin.
var program = regexp.MustCompile(`^kubectl (agent-)?sandbox( |$)`)

func TestEveryCommandInTheDocumentsExistsWithItsFlags(t *testing.T) {
	known := know(t)
	for _, page := range pages(t) {
		for i := range page.Blocks {
			block := &page.Blocks[i]
			for word := range strings.FieldsSeq(block.NotRun) {
				if err := exists(strings.TrimRight(word, ".,;:)")); err != nil {
					t.Errorf("%s:%d: the reason for not running the block: %v", page.Path, block.Line, err)
				}
			}
			if !block.Commands() {
				continue
			}
			for _, step := range block.Steps() {
				calls, err := Calls(step.Script)
				if err != nil {
					t.Errorf("%s:%d: %v", page.Path, step.Line, err)
				}
				for _, call := range calls {
					if err := check(call, known, true); err != nil {
						t.Errorf("%s:%d: %s: %v", page.Path, step.Line, strings.Join(call, " "), err)
					}
				}
			}
		}
		for _, span := range page.Code {
			calls, err := Calls(span.Text)
			if err != nil {
				calls = [][]string{strings.Fields(span.Text)} // as in `exec NAME [-c CONTAINER] | shell`
			}
			for _, call := range calls {
				if err := check(call, known, false); err != nil {
					t.Errorf("%s:%d: `%s`: %v", page.Path, span.Line, span.Text, err)
				}
			}
		}
	}
}

// check checks one command. If it is whole, it must have all required arguments.
func check(words []string, known known, whole bool) error {
	for _, word := range words {
		if err := exists(word); err != nil {
			return err
		}
	}
	switch {
	case program.MatchString(strings.Join(words, " ")):
		return checkPlugin(words[2:], whole)
	case len(words) > 1 && words[0] == "make":
		return checkMake(words[1:], known)
	}
	return nil
}

// checkMake checks that the targets exist, and for targets that run tests that RUN selects a test.
func checkMake(words []string, known known) error {
	for _, word := range words {
		if !strings.Contains(word, "=") && !slices.Contains(known.targets, word) && word == strings.ToLower(word) {
			return fmt.Errorf("there is no target %s", word)
		}
		run, found := strings.CutPrefix(word, "RUN=")
		if !found || !strings.HasPrefix(words[0], "test") {
			continue
		}
		first, _, _ := strings.Cut(run, "/")
		selects, err := regexp.Compile(first)
		if err != nil {
			return fmt.Errorf("RUN=%s: %w", run, err)
		}
		if !slices.ContainsFunc(known.tests, selects.MatchString) {
			return fmt.Errorf("RUN=%s selects no test", run)
		}
	}
	return nil
}

// exists returns an error if a word looks like a file of the repository that does not exist.
func exists(word string) error {
	name := strings.TrimSuffix(word, "/")
	top, _, found := strings.Cut(name, "/")
	if !found || !slices.Contains([]string{"docs", "examples", "krew", "operator", "test", "tools"}, top) ||
		strings.ContainsAny(name, "*{<") {
		return nil
	}
	if strings.Contains(name, ".") && !strings.Contains(filepath.Base(name), ".") {
		return nil // a member of a Go package, or a label
	}
	name = strings.TrimPrefix(strings.TrimSuffix(name, "/..."), "./")
	if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(name))); err != nil && !testName.MatchString(name) {
		return fmt.Errorf("there is no file %s", name)
	}
	return nil
}

// testName matches the name of a test after its package, as in test/e2e.TestLogs.
var testName = regexp.MustCompile(`\.Test[A-Za-z]*`)

func checkPlugin(args []string, whole bool) error {
	commands := plugin.Reference()
	command, rest, err := commands.Find(args)
	if err != nil {
		return err
	}
	if command.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && rest[0] != "COMMAND" &&
		rest[0] != "…" {
		return fmt.Errorf("%s has no command %s", command.CommandPath(), rest[0])
	}
	if err := command.ParseFlags(rest); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil
		}
		if whole ||
			!strings.Contains(err.Error(), "needs an argument") && !strings.Contains(err.Error(), "invalid argument") {
			return err
		}
	}
	if !whole || command.Flags().Changed("help") {
		return nil
	}
	return arguments(command)
}

func arguments(command *cobra.Command) error {
	if err := command.ValidateArgs(command.Flags().Args()); err != nil {
		return err
	}
	return command.ValidateRequiredFlags()
}

// known contains the make targets and tests that commands in documents may name.
type known struct {
	targets, tests []string
}

func know(t *testing.T) known {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	all := known{targets: first(`(?m)^([a-z0-9-]+):`, text)}
	err = filepath.WalkDir(repository, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		all.tests = append(all.tests, first(`(?m)^func (Test\w+)\(`, text)...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// first returns the first group of each match.
func first(pattern string, text []byte) []string {
	var all []string
	for _, match := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		all = append(all, string(match[1]))
	}
	return all
}

func pages(t *testing.T) []Page {
	t.Helper()
	all, err := Pages(repository)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d pages: %v", len(all), err)
	}
	return all
}

func TestTheCheckFindsWhatIsWrong(t *testing.T) {
	known := know(t)
	for line, says := range map[string]string{
		"kubectl sandbox exce dev":                      "exce",
		"kubectl sandbox list --no-such-flag":           "unknown flag",
		"kubectl sandbox pool grow p":                   "no command grow",
		"kubectl sandbox extend dev":                    "", // checks of the command itself need a run
		"kubectl sandbox exec":                          "NAME",
		"kubectl agent-sandbox wait dev --timeout soon": "invalid argument",
		"make no-such-thing":                            "no target",
		"make test-e2e RUN=TestNoSuchThing/at_all":      "selects no test",
		"make test-e2e RUN='TestDocuments/README'":      "",
		"kubectl apply -f examples/no-such-file.yaml":   "no file",
		"kubectl apply -f examples/pools/warm.yaml":     "",
		"if kubectl sandbox list -x; then true; fi":     "unknown shorthand",
		"echo $(kubectl sandbox frobnicate)":            "frobnicate",
		"kubectl sandbox exec dev -- ls --no-such-flag": "",
	} {
		calls, err := Calls(line)
		for _, call := range calls {
			err = errors.Join(err, check(call, known, true))
		}
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
