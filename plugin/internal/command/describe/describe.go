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
)

// Options are the names and flags.
type Options struct{ Selection cli.SelectionOptions }

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:        "describe NAME... | --all | -l SELECTOR",
		SuggestFor: []string{"inspect", "info"},
		Short:      "Show details of sandboxes, with a diagnosis",
		Long: "describe shows the parts of a sandbox (claim, Sandbox, Pod, containers, volumes), its settings,\n" +
			"addresses and events. It ends with the same diagnosis as status.",
		Example: "  # Describe a sandbox\n" +
			"  kubectl sandbox describe dev\n\n" +
			"  # Describe all sandboxes of a team, in all namespaces\n" +
			"  kubectl sandbox describe -l team=research -A\n\n" +
			"  # Describe the Sandbox of that name, even if a claim has the same name\n" +
			"  kubectl sandbox describe sandbox/dev",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Selection.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.Selection.AddFlags(cmd)
	return cmd
}

// Run describes each sandbox.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	style := printing.Style{Colored: f.Color(streams.Out)}
	command := func(arguments string) string { return printing.SuggestedCommand(arguments, f) }
	objects, failed := o.Selection.Objects(ctx, a.Sandboxes, a.Namespace)
	if len(objects) == 0 && failed == nil {
		_, failed = printable.Fprintf(streams.ErrOut, "%s\n", o.Selection.NoneSelected(a.Namespace))
	}
	described := 0
	for _, object := range objects {
		t, err := a.Resolver.ReadableObjects(ctx, object.Namespace, object.Ref)
		if o.Selection.Vanished(err) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		snapshot := a.Observer.SnapshotWithNodes(ctx, t)
		printable.Object(&snapshot) // t has the same objects, so this covers it too
		text := Text(t, snapshot, style, command)
		if described++; described > 1 {
			text = "\n" + text
		}
		if _, err := io.WriteString(streams.Out, text); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}
