// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"strconv"
	"strings"
)

// The languages of blocks that tests run.
const (
	// Shell blocks contain only commands.
	Shell = "sh"
	// Console blocks contain commands after "$ ", each followed by its expected output, if any.
	Console = "console"
	// YAML blocks contain manifests.
	YAML = "yaml"
	// Go blocks contain Go code. Those that begin with packageMain are whole programs.
	Go          = "go"
	packageMain = "package main\n"
)

// Commands reports whether a block contains commands.
func (b *Block) Commands() bool { return b.Language == Shell || b.Language == Console }

// Program reports whether a block is a Go program.
func (b *Block) Program() bool { return b.Language == Go && strings.HasPrefix(b.Text, packageMain) }

// Step is a script that runs as a whole in the shell session of its page.
type Step struct {
	Line   int
	Script string
	// Prints is the expected standard output, or empty for any output.
	Prints string
}

// Steps returns the steps of a block: the whole block for a shell block, and each command for a console block.
func (b *Block) Steps() []Step {
	if b.Language != Console {
		return []Step{{Line: b.Line, Script: b.Text}}
	}
	var steps []Step
	for i, line := range strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n") {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, Step{Line: b.Line + 1 + i, Script: command + "\n"})
			continue
		}
		if len(steps) == 0 {
			steps = append(steps, Step{Line: b.Line + 1 + i})
		}
		last := &steps[len(steps)-1]
		if more, ok := strings.CutPrefix(line, "> "); ok && last.Prints == "" {
			last.Script += more + "\n"
			continue
		}
		last.Prints += line + "\n"
	}
	return steps
}

// Script returns a shell script that runs the steps in order. Before each step it prints a line with a mark and the
// number of the step.
func Script(steps []Step, mark string) string {
	out := &strings.Builder{}
	out.WriteString("set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n")
	for i, step := range steps {
		out.WriteString("printf '\\n%s %d\\n' '" + mark + "' " + strconv.Itoa(i) + "\n" + step.Script)
	}
	return out.String()
}

// Run returns the steps of a page that a test runs. The API server validates the project's manifests.
func (p *Page) Run() []Step {
	var steps []Step
	for i := range p.Blocks {
		block := &p.Blocks[i]
		switch {
		case block.NotRun != "":
		case block.Commands():
			steps = append(steps, block.Steps()...)
		case block.Program():
			steps = append(steps, Step{
				Line: block.Line, Script: "cat >main.go <<'END_OF_BLOCK'\n" + block.Text + "END_OF_BLOCK\n",
			})
		case block.Language == YAML && strings.Contains(block.Text, "agents.x-k8s.io/v1"):
			steps = append(steps, Step{
				Line: block.Line, Script: "kubectl apply --dry-run=server -f - <<'END_OF_BLOCK'\n" + block.Text + "END_OF_BLOCK\n",
			})
		}
	}
	return steps
}
