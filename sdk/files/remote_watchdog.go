// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// runScript runs a script that begins with watchdog.sh: it may take long or have much output.
func (c *Copier) runScript(ctx context.Context, script string, words []string, out io.Writer, said *stderrTail) error {
	return c.runScriptWithInput(ctx, "", script, words, out, said)
}

// runScriptWithInput first sends input to a script, which reads all of it before the watchdog starts.
func (c *Copier) runScriptWithInput(
	ctx context.Context, input, script string, words []string, out io.Writer, said *stderrTail,
) error {
	open, over := io.Pipe()
	defer over.Close()
	command := append([]string{"sh", "-c", script, "sh"}, words...)
	in := io.MultiReader(strings.NewReader(input), open)
	return c.exec(ctx, stream.Process{Command: command, Stdin: in, Stdout: out, Bulk: true}, said)
}

// selected returns the beginning of a script that works on a selection, and what it reads before the watchdog starts.
// If that is not empty, its length is the script's first argument.
func (s selection) selected() (script, input string) {
	input = s.program()
	if input == "" {
		return compose(walkScript, watchdogScript), ""
	}
	return compose(walkScript, readSelectionScript, watchdogScript), input
}

// runSelected runs a script that works on a selection.
func (c *Copier) runSelected(
	ctx context.Context, s selection, script string, words []string, out io.Writer,
) error {
	begin, input := s.selected()
	if input != "" {
		words = append([]string{strconv.Itoa(len(input))}, words...)
	}
	return c.runScriptWithInput(ctx, input, begin+script, words, out, &stderrTail{})
}
