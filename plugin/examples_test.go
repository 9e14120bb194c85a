// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"os"
	"strings"
	"testing"
)

// exampleLines returns the command lines of an example, without comments. Continued lines are joined.
func exampleLines(example string) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(example, "\\\n", " "), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// pluginWords returns the words that a shell passes to the plugin. It returns nil for a line that neither begins with
// the plugin nor pipes into it.
func pluginWords(line string) []string {
	if from, to, piped := strings.Cut(line, " | "+programInHelp+" "); piped && !strings.HasPrefix(from, programInHelp) {
		line = programInHelp + " " + to
	}
	line, found := strings.CutPrefix(line, programInHelp+" ")
	if !found {
		return nil
	}
	var words []string
	word, begun, quote := "", false, rune(0)
	end := func() {
		if begun {
			words = append(words, word)
		}
		word, begun = "", false
	}
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && r == ' ':
			end()
		case quote == 0 && strings.ContainsRune("|<>&;", r):
			end()
			return words
		default:
			word, begun = word+string(r), true
		}
	}
	end()
	return words
}

func TestEveryExampleIsAValidCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	if err := os.WriteFile(
		"template.yaml", []byte("spec: {podTemplate: {spec: {containers: [{name: main, image: x}]}}}"), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for path, command := range commands(t) {
		for _, line := range exampleLines(strings.ReplaceAll(command.Example, command.Root().CommandPath(), programInHelp)) {
			// The line before it would print the value.
			words := pluginWords(strings.ReplaceAll(line, `"$id"`, "abcd1234"))
			if len(words) == 0 || strings.HasPrefix(strings.Join(words, " "), "completion install") { // it writes files
				continue
			}
			tried++
			t.Run(line, func(t *testing.T) {
				if code, _, errOut := run(
					t,
					words...); code == 2 &&
					!strings.Contains(errOut, "give --yes") { // there is no terminal to ask on
					t.Errorf("an example of %s is wrong usage: %s", path, errOut)
				}
			})
		}
	}
	if tried < 50 {
		t.Errorf("only %d examples were tried", tried)
	}
}
