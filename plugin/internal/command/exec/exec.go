// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package exec is the command `exec`.
package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

const long = `exec runs a command in a sandbox and exits with the exit code of the command, or with 255 if the
connection was lost before that exit code arrived.

The command gets a terminal if standard input and output are terminals. Standard input that is not a
terminal is passed to its last byte. Standard input that is a terminal is passed if the command has a
terminal, or with -i. In a loop that reads lines, give --no-stdin: otherwise the command reads the rest
of the lines.

--workdir, --run-as-user, --env and --env-file run the command through sh in the container. Like the words of
the command, the values are part of a request to the API server, whose audit log may keep them.

With --timeout a command that takes longer is ended, with all processes that it started, and the exit
code is 124.

With --detach it starts the command, without input, and prints a name for it. logs NAME --exec shows what
the command writes, and wait NAME --exec passes on its exit code. Both are kept in /tmp of the container.

Whoever claims a member of a pool finds the files that earlier commands left in it, so exec warns about one.`

const examples = `  # Run a command
  kubectl sandbox exec dev -- python3 -c 'print(6*7)'

  # Pass a file to standard input
  kubectl sandbox exec dev -- sh -c 'wc -l' < notes.txt

  # Run an interactive program
  kubectl sandbox exec dev -- python3

  # Run a command in a directory, with a variable, for ten minutes at most
  kubectl sandbox exec dev -w /work -e CI=true --timeout 10m -- make test

  # Start a command, follow its output, and wait for its exit code
  id=$(kubectl sandbox exec dev -d -- make test)
  kubectl sandbox logs dev --exec "$id" -f
  kubectl sandbox wait dev --exec "$id"

  # Run a command for each line of a file
  while read -r test; do kubectl sandbox exec dev --no-stdin -- python3 "$test"; done < tests.txt`

// Options are the arguments and flags.
type Options struct {
	Name      string
	Container string
	Command   []string
	// Stdin and TTY are nil unless the user gave the flags.
	Stdin, TTY *bool
	Process    target.ProcessOptions
	// Timeout is how long the command may run; 0 is without limit.
	Timeout time.Duration
	// Detach starts the command and does not wait for it.
	Detach bool
	// Quiet omits the warning about a member of a pool.
	Quiet bool

	ref resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	var streaming target.StreamFlags
	cmd := &cobra.Command{
		Use:               "exec NAME [-c CONTAINER] -- COMMAND [ARGUMENT...]",
		Short:             "Run a command in a sandbox",
		Long:              long,
		Example:           examples,
		Args:              nameAndCommand,
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Command = args[0], cli.ArgsAfterDash(cmd, args)
			var err error
			if o.Stdin, o.TTY, err = streaming.Given(cmd); err != nil {
				return err
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	target.AddContainerFlag(cmd, f, &o.Container)
	streaming.Add(cmd)
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 0,
		"How long the command may run, as in 90s or 10m, before it is ended; the image needs sh. (default: no limit)")
	cmd.Flags().BoolVarP(&o.Detach, "detach", "d", false,
		"Start the command, print a name for it and do not wait; the image needs sh.")
	target.AddQuietFlag(cmd, &o.Quiet)
	o.Process.AddFlags(cmd)
	return cmd
}

// nameAndCommand checks the arguments. If "--" is missing or misplaced, its error suggests the correct command line.
func nameAndCommand(cmd *cobra.Command, args []string) error {
	own, after := cli.ArgsBeforeDash(cmd, args), cli.ArgsAfterDash(cmd, args)
	switch {
	case len(own) > 1 && len(after) == 0:
		return cli.UsageError(fmt.Errorf("the command comes after \"--\"; did you mean: %s %s -- %s",
			cmd.CommandPath(), own[0], cli.ShellJoin(own[1:])))
	case len(own) == 0 && len(after) > 1:
		return cli.UsageError(fmt.Errorf("NAME comes before \"--\"; did you mean: %s %s -- %s",
			cmd.CommandPath(), after[0], cli.ShellJoin(after[1:])))
	}
	return cli.ExactArgs("NAME")(cmd, args)
}

// Validate checks the arguments.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	if err != nil {
		return cli.UsageError(err)
	}
	o.ref = ref
	if o.Timeout < 0 {
		return cli.UsageError(fmt.Errorf("--timeout is %s: it cannot be negative", o.Timeout))
	}
	if o.Detach && (o.Timeout > 0 || (o.Stdin != nil && *o.Stdin) || (o.TTY != nil && *o.TTY)) {
		return cli.UsageError(errors.New("--detach goes together with none of --stdin, --tty and --timeout"))
	}
	if err := o.Process.Validate(); err != nil {
		return err
	}
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
	container.WarnOfMember(streams.ErrOut, o.Quiet)
	if o.Detach {
		name, err := container.Start(ctx, &o.Process, o.Command, "")
		if err == nil {
			_, err = printable.Fprintf(streams.Out, "%s\n", name)
		}
		return err
	}
	return container.RunWithin(ctx, terminal.New(streams, o.Stdin, o.TTY), &o.Process, o.Command, o.Timeout)
}
