// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package describe is the command `describe`.
package describe

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Options are the names.
type Options struct {
	Names []string
	refs  []resolve.Ref
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "describe NAME...",
		SuggestFor: []string{"inspect", "info"},
		Short:      "Show everything about sandboxes, with a diagnosis",
		Long: "describe shows what a sandbox is made of (claim, Sandbox, Pod, containers, volumes), its settings, addresses and\n" +
			"events, and ends with the same diagnosis as status.",
		Example: "  kubectl sandbox describe dev\n\n" +
			"  # The Sandbox of that name, even if there is a claim of the same name\n" +
			"  kubectl sandbox describe sandbox/dev",
		Args: cli.AtLeastOneArg("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	return cmd
}

// Validate checks the names.
func (o *Options) Validate() error {
	refs, err := cli.ParseRefs(o.Names)
	o.refs = refs
	return err
}

// Run describes each sandbox.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	style := printing.Style{Colored: f.Color(streams.Out)}
	command := func(arguments string) string { return printing.SuggestedCommand(arguments, f) }
	var failed error
	described := 0
	for _, ref := range o.refs {
		t, err := a.Resolver.ReadableObjects(ctx, a.Namespace, ref)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		facts := a.Observer.SnapshotWithNodes(ctx, t)
		printable.Object(&facts) // the target's objects are the same
		text := Text(t, facts, style, command)
		if described++; described > 1 {
			text = "\n" + text
		}
		if _, err := io.WriteString(streams.Out, text); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}
