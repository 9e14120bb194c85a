// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package shell is the command `shell`.
package shell

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// Options are the arguments and flags.
type Options struct {
	Name      string
	Container string
	// Quiet omits the warning about a member of a pool.
	Quiet bool

	ref resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "shell NAME [-c CONTAINER]",
		SuggestFor: []string{"sh", "bash", "ssh", "enter"},
		Short:      "Open a shell in a sandbox",
		Long: "shell opens bash in a sandbox, or sh if the image has no bash, and exits with the exit code of the\n" +
			"shell. Without a terminal the shell reads its commands from standard input.",
		Example: "  kubectl sandbox shell dev\n\n" +
			"  # Run a local script in the sandbox\n" +
			"  kubectl sandbox shell dev < setup.sh",
		Args:              nameAlone,
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompleteSandboxes(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	target.AddContainerFlag(cmd, f, &o.Container)
	target.AddQuietFlag(cmd, &o.Quiet)
	return cmd
}

// nameAlone checks the arguments. For a command its error suggests exec.
func nameAlone(cmd *cobra.Command, args []string) error {
	own, after := cli.ArgsBeforeDash(cmd, args), cli.ArgsAfterDash(cmd, args)
	if len(own) == 1 && len(after) > 0 {
		return cli.UsageError(fmt.Errorf("shell takes no command; did you mean: %s exec %s -- %s",
			cmd.Root().CommandPath(), cli.ShellQuote(own[0]), cli.ShellJoin(after)))
	}
	return cli.ExactArgs("NAME")(cmd, args)
}

// Validate checks the arguments.
func (o *Options) Validate() error {
	ref, err := resolve.Parse(o.Name)
	o.ref = ref
	return cli.UsageError(err)
}

// Run opens the shell.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	container, err := target.Resolve(ctx, f, o.ref, o.Container)
	if err != nil {
		return err
	}
	container.WarnOfMember(streams.ErrOut, o.Quiet)
	shell, err := stream.Shell(ctx, container.Network, container.Address)
	if err != nil {
		return container.Result(err)
	}
	return container.Run(ctx, terminal.New(streams, new(true), nil), []string{shell})
}
