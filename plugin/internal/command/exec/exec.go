// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package exec is the command `exec`.
package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// Options are the arguments and flags.
type Options struct {
	Name      string
	Container string
	Command   []string
	// Stdin and TTY are nil unless the user gave the flags.
	Stdin, TTY *bool

	ref resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	var stdin, tty bool
	cmd := &cobra.Command{
		Use:   "exec NAME [-c CONTAINER] -- COMMAND [ARGUMENT...]",
		Short: "Run a command in a sandbox",
		Long: "exec runs a command in a sandbox and exits with the exit code of the command, or with 255 if the\n" +
			"connection was lost before that exit code arrived.\n\n" +
			"The command gets a terminal if standard input and output are terminals. Standard input that is not a\n" +
			"terminal is passed to its last byte. Standard input that is a terminal is passed if the command has a\n" +
			"terminal, or with -i.",
		Example: "  # Run a command\n" +
			"  kubectl sandbox exec dev -- python3 -c 'print(6*7)'\n\n" +
			"  # Pass a file to standard input\n" +
			"  kubectl sandbox exec dev -- sh -c 'wc -l' < notes.txt\n\n" +
			"  # Run an interactive program\n" +
			"  kubectl sandbox exec dev -- python3",
		Args:              nameAndCommand,
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Command = args[0], cli.ArgsAfterDash(cmd, args)
			if cmd.Flags().Changed("stdin") {
				o.Stdin = &stdin
			}
			if cmd.Flags().Changed("tty") {
				o.TTY = &tty
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	target.AddContainerFlag(cmd, f, &o.Container)
	cmd.Flags().BoolVarP(&stdin, "stdin", "i", false,
		"Pass standard input to the command; =false does not. (default: if it is not a terminal, or with a TTY)")
	cmd.Flags().BoolVarP(&tty, "tty", "t", false,
		"Give the command a terminal; =false does not. (default: if standard input and output are terminals)")
	return cmd
}

// nameAndCommand checks the arguments. If "--" is missing or misplaced, its error suggests the correct command line.
func nameAndCommand(cmd *cobra.Command, args []string) error {
	own, after := cli.ArgsBeforeDash(cmd, args), cli.ArgsAfterDash(cmd, args)
	switch {
	case len(own) > 1 && len(after) == 0:
		return cli.UsageError(fmt.Errorf("the command comes after \"--\"; did you mean: %s %s -- %s",
			cmd.CommandPath(), own[0], shellWords(own[1:])))
	case len(own) == 0 && len(after) > 1:
		return cli.UsageError(fmt.Errorf("NAME comes before \"--\"; did you mean: %s %s -- %s",
			cmd.CommandPath(), after[0], shellWords(after[1:])))
	}
	return cli.ExactArgs("NAME")(cmd, args)
}

// shellWords quotes the words for a shell and joins them.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = cli.ShellQuote(word)
	}
	return strings.Join(quoted, " ")
}

// Validate checks the arguments.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	if err != nil {
		return cli.UsageError(err)
	}
	o.ref = ref
	if len(o.Command) == 0 {
		return cli.UsageError(
			fmt.Errorf("COMMAND is missing: give it after \"--\", as in exec %s -- ls; shell %[1]s opens a shell", o.ref),
		)
	}
	return nil
}

// Run runs the command.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	container, err := target.Resolve(ctx, f, o.ref, o.Container)
	if err != nil {
		return err
	}
	return container.Run(ctx, terminal.New(streams, o.Stdin, o.TTY), o.Command)
}
