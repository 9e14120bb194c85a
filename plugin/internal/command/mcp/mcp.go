// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package mcp is the command `mcp`.
package mcp

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/mcpserver"
)

// NewCommand returns the command with its subcommand.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &mcpserver.Options{}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Give a coding agent sandboxes, as a server of the Model Context Protocol",
		Long: "mcp is a server of the Model Context Protocol on standard input and output. Coding agents start it\n" +
			"themselves: 'kubectl sandbox mcp config CLIENT' prints what to paste into their configuration.\n\n" +
			"The agent can create sandboxes, run commands and code in them, work with their files, forward ports, read\n" +
			"logs, and suspend, resume, extend and delete what it has created. It reaches no other sandboxes, except\n" +
			"those that --use names.\n\n" +
			"When the session ends, it deletes the sandboxes that it created, unless --keep is given. If the server or\n" +
			"the agent is killed, the cluster deletes them within --ttl.\n\n" +
			"Without --template, --pool and --image the agent may choose any template or pool of the namespace, but no\n" +
			"image: a Sandbox of an image has no network policy. Of several values the first is the default.\n\n" +
			"Tools: " + wrap(mcpserver.ToolNames(), 100) + ".",
		Example: "  # Print what to paste into the configuration of an agent\n" +
			"  kubectl sandbox mcp config claude --template python --max 3\n\n" +
			"  # Serve an agent that may use one template, for half an hour at a time\n" +
			"  kubectl sandbox mcp --template python --ttl 30m\n\n" +
			"  # Let an agent look at a sandbox, and change nothing\n" +
			"  kubectl sandbox mcp --use dev --read-only",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return cli.UsageError(err)
			}
			return Run(cmd.Context(), f, streams, o)
		},
	}
	addFlags(cmd, f, o)
	cmd.AddCommand(newConfigCommand(f, streams))
	return cmd
}

// Run serves one session until standard input ends.
func Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *mcpserver.Options) error {
	server, err := mcpserver.New(f, *o, streams.ErrOut)
	if err != nil {
		return err
	}
	defer cli.HoldExit(ctx)() // the sandboxes must still be deleted
	return server.Run(ctx, streams.In, streams.Out)
}

// addFlags adds the flags that restrict a session.
func addFlags(cmd *cobra.Command, f factory.Factory, o *mcpserver.Options) {
	flags := cmd.Flags()
	flags.StringSliceVar(&o.Templates, "template", nil, "The templates that the agent may create sandboxes from.")
	flags.StringSliceVar(&o.Pools, "pool", nil, "The pools of warm sandboxes that the agent may claim from.")
	flags.StringSliceVar(&o.Images, "image", nil,
		"The container images that the agent may create sandboxes from. They need a shell and sleep.")
	flags.StringSliceVar(&o.Use, "use", nil,
		"Existing sandboxes that the agent may work in. It cannot suspend, resume, extend or delete them.")
	flags.IntVar(&o.Max, "max", mcpserver.DefaultMax, "How many sandboxes of the agent may exist at once.")
	flags.DurationVar(&o.TTL, "ttl", mcpserver.DefaultTTL,
		"How long a sandbox lives, and by how much from now the agent can extend it.")
	flags.BoolVar(&o.Keep, "keep", false, "Keep the sandboxes when the session ends. They still end after --ttl.")
	flags.BoolVar(&o.ReadOnly, "read-only", false, "Offer only tools that change nothing. Needs --use.")
	flags.StringSliceVar(&o.Allow, "allow", nil, "Offer only these tools. (default: all)")
	flags.StringVar(&o.LocalDir, "local-dir", "",
		"A directory of this machine that the agent may copy from and to. (default: none)")
	for name, complete := range map[string]cobra.CompletionFunc{
		"template": cli.CompleteTemplates(f), "pool": cli.CompletePools(f), "use": cli.CompleteSandboxes(f),
		"allow": cobra.FixedCompletions(mcpserver.ToolNames(), cobra.ShellCompDirectiveNoFileComp),
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, complete) // it fails only for an unknown flag
	}
}

// wrap joins words with commas, in lines of that width.
func wrap(words []string, width int) string {
	var b strings.Builder
	line := len("Tools: ")
	for i, word := range words {
		switch {
		case i == 0:
		case line+len(word)+2 > width:
			b.WriteString(",\n")
			line = 0
		default:
			b.WriteString(", ")
			line += 2
		}
		b.WriteString(word)
		line += len(word)
	}
	return b.String()
}
