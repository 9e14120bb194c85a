// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

// StreamFlags are the flags that decide what a command gets as its standard input, and whether it gets a terminal.
type StreamFlags struct{ stdin, noStdin, tty bool }

// Add adds --stdin, --no-stdin and --tty.
func (s *StreamFlags) Add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&s.stdin, "stdin", "i", false,
		"Pass standard input to the command; =false does not. (default: if it is not a terminal, or with a TTY)")
	cmd.Flags().BoolVar(&s.noStdin, "no-stdin", false,
		"Do not pass standard input to the command, as with < /dev/null; the same as --stdin=false.")
	cmd.Flags().BoolVarP(&s.tty, "tty", "t", false,
		"Give the command a terminal; =false does not. (default: if standard input and output are terminals)")
}

// Given returns what was asked for; nil for what was left to the defaults.
func (s *StreamFlags) Given(cmd *cobra.Command) (stdin, tty *bool, err error) {
	if cmd.Flags().Changed("stdin") {
		stdin = &s.stdin
	}
	if s.noStdin {
		if stdin != nil && s.stdin {
			return nil, nil, cli.UsageError(errors.New("--stdin and --no-stdin do not go together"))
		}
		stdin = new(false)
	}
	if cmd.Flags().Changed("tty") {
		tty = &s.tty
	}
	return stdin, tty, nil
}
