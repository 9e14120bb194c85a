// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// DeletionTarget is an object to delete.
type DeletionTarget struct {
	Namespace, Name string
	UID             types.UID
}

// Deletion deletes selected objects of one kind, after a confirmation.
type Deletion struct {
	Kind resolve.Kind
	// Find returns the selected objects, each once, with the errors of names that were not found.
	Find func(ctx context.Context, clients *factory.Clients, o *SelectionOptions) ([]DeletionTarget, error)
	// Delete deletes the object of that name and UID.
	Delete func(ctx context.Context, clients *factory.Clients, target DeletionTarget) error
	// Consequence follows the names in the question, as in ", with their unclaimed sandboxes".
	Consequence string
}

// DeletionOptions are the names and flags.
type DeletionOptions struct {
	Selection SelectionOptions
	Yes       bool
}

// Bind adds the flags to the command, and makes it delete the selected objects.
func (d Deletion) Bind(cmd *cobra.Command, f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &DeletionOptions{}
	o.Selection.AddFlagsFor(cmd, d.Kind)
	o.Selection.AddQuietFlag(cmd)
	AddYesFlag(cmd, &o.Yes)
	AddIgnoreNotFoundFlag(cmd, &o.Selection.IgnoreNotFound)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.Selection.Names = args
		if err := o.Selection.Validate(); err != nil {
			return err
		}
		return d.Run(cmd.Context(), f, streams, o)
	}
	return cmd
}

// Run deletes the selected objects. Unless Yes is set it asks first, and fails without a terminal.
func (d Deletion) Run(
	ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *DeletionOptions,
) error {
	if err := RequireConfirmable(streams.In, o.Yes, "delete"); err != nil {
		return err
	}
	clients, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	objects, failed := d.Find(ctx, clients, &o.Selection)
	if len(objects) == 0 {
		if failed == nil && len(o.Selection.Names) == 0 {
			_, failed = printable.Fprintf(streams.ErrOut, "%s\n", o.Selection.NoneSelected(clients.Namespace))
		}
		return failed
	}
	if !o.Yes {
		question := fmt.Sprintf("Delete %s in %s%s?", d.targetNames(objects), namespacesOf(objects), d.Consequence)
		if err := Confirm(ctx, streams, question); err != nil {
			return err
		}
	}
	return errors.Join(failed, ForEach(streams.Out, objects, func(object DeletionTarget) (string, error) {
		deleted := Selected{Namespace: object.Namespace, Ref: resolve.Ref{Kind: d.Kind, Name: object.Name}}
		return o.Selection.Result(deleted, "deleted"), d.Delete(ctx, clients, object)
	}))
}

// targetNames joins the names of the targets for the question.
func (d Deletion) targetNames(targets []DeletionTarget) string {
	names := make([]string, len(targets))
	for i := range targets {
		names[i] = string(d.Kind) + "/" + targets[i].Name
	}
	return JoinNames(names)
}

func namespacesOf(targets []DeletionTarget) string {
	names := make([]string, len(targets))
	for i := range targets {
		names[i] = targets[i].Namespace
	}
	return JoinNamespaces(names)
}
