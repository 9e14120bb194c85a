// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"fmt"
	"strings"
)

// executed is the result of a command.
type executed struct {
	Sandbox  string `json:"sandbox" jsonschema:"name of the sandbox"`
	ExitCode *int   `json:"exit_code,omitempty" jsonschema:"the exit code, if it is known"`
	Stdout   output `json:"stdout" jsonschema:"standard output"`
	Stderr   output `json:"stderr" jsonschema:"standard error"`
	Note     string `json:"note,omitempty" jsonschema:"what else to know"`
}

// output is an output as a result shows it.
type output struct {
	Text string `json:"text" jsonschema:"the output or, if it is long, its beginning and its end"`
	// Omitted is how many bytes are missing between the beginning and the end.
	Omitted int64 `json:"omitted_bytes,omitempty" jsonschema:"how many bytes between beginning and end are left out"`
	// Output identifies the whole output.
	Output string `json:"output,omitempty" jsonschema:"what read_output takes to read the whole output"`
}

// text implements texter.
func (r executed) text() string {
	var b strings.Builder
	if r.ExitCode != nil {
		fmt.Fprintf(&b, "exit code %d\n", *r.ExitCode)
	}
	if r.Note != "" {
		fmt.Fprintf(&b, "note: %s\n", r.Note)
	}
	r.Stdout.write(&b, "stdout")
	r.Stderr.write(&b, "stderr")
	return b.String()
}

// write writes the output under a heading; nothing if there is none.
func (o output) write(b *strings.Builder, name string) {
	if o.Text == "" {
		return
	}
	fmt.Fprintf(b, "--- %s", name)
	if o.Output != "" {
		fmt.Fprintf(b, ", beginning and end; read_output with %s returns the rest", o.Output)
	}
	fmt.Fprintf(b, "\n%s\n", strings.TrimSuffix(o.Text, "\n"))
}
