// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tree is the command `tree`.
package tree

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Options are the names and flags.
type Options struct {
	Selection cli.SelectionOptions
	printing  *printing.TableOptions
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{printing: printing.NewTableOptions()}
	cmd := &cobra.Command{
		Use:   "tree NAME... | --all | -l SELECTOR",
		Short: "Show the objects that belong to sandboxes, with their state",
		Long: "tree shows a claim with its Sandbox, the Sandbox with its Pod, Service and volumes, and the template and\n" +
			"pool that they come from, each with its state. With -o json or yaml the output is one List of all these\n" +
			"objects.",
		Example: "  kubectl sandbox tree dev\n\n" +
			"  # Print the names of everything that belongs to a sandbox\n" +
			"  kubectl sandbox tree dev -o name",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.Selection.AddFlags(cmd)
	o.printing.AddFormatFlags(cmd)
	return cmd
}

// Validate checks the names and flags.
func (o *Options) Validate() error {
	if err := o.printing.Validate(); err != nil {
		return cli.UsageError(err)
	}
	return o.Selection.Validate()
}

// Run shows one tree for each name. A name that does not exist is an error; the others are still shown.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	style := printing.Style{Colored: f.Color(streams.Out)}
	var items []printing.Item
	objects, failed := o.Selection.Objects(ctx, a.Sandboxes, a.Namespace)
	shown := 0
	for _, object := range objects {
		t, err := a.Resolver.ReadableObjects(ctx, object.Namespace, object.Ref)
		if o.Selection.Vanished(err) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		shown++
		g := &builder{access: a, snapshot: a.Observer.Snapshot(ctx, t), style: style}
		found, err := g.build(ctx, t).items("", "", o.printing.Table())
		if err != nil {
			return errors.Join(failed, err)
		}
		items = append(items, found...)
	}
	if shown == 0 && o.printing.Table() {
		if failed == nil {
			_, failed = printable.Fprintf(streams.ErrOut, "%s\n", o.Selection.NoneSelected(a.Namespace))
		}
		return failed
	}
	return errors.Join(failed, o.printing.Print(items, columns(), o.Selection.AllNamespaces, streams.Out))
}
