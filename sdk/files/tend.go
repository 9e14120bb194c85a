// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"io"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// tended is the beginning of a script that ends when our side does, with all that it has started: who reads a file to its end only to sum
// it never notices that nobody listens. Its input is kept open for it. What a runtime starts leads its own group of processes; where it
// does not, or that cannot be told, nothing is ended.
const tended = `exec 9<&0 </dev/null
if { read -r _ _ _ _ group _ </proc/$$/stat; } 2>/dev/null && [ "$group" = $$ ]; then
  { read -r _ <&9; kill -s TERM 0; } >/dev/null 2>&1 &
  tending=$!
  trap 'kill "$tending" 2>/dev/null' EXIT
fi
`

// runScript runs a script that may take long or has much output.
func (c *Copier) runScript(ctx context.Context, script string, words []string, out io.Writer, said *stderrTail) error {
	return c.runScriptWithInput(ctx, "", script, words, out, said)
}

// runScriptWithInput gives a script this input first, of which it takes all before it is tended.
func (c *Copier) runScriptWithInput(ctx context.Context, input, script string, words []string, out io.Writer, said *stderrTail) error {
	open, over := io.Pipe()
	defer over.Close()
	command := append([]string{"sh", "-c", script, "sh"}, words...)
	in := io.MultiReader(strings.NewReader(input), open)
	return c.exec(ctx, stream.Process{Command: command, Stdin: in, Stdout: out, Bulk: true}, said)
}
