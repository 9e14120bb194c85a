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
	Name string
	UID  types.UID
}

// Deletion deletes selected objects of one kind, after a confirmation.
type Deletion struct {
	Kind resolve.Kind
	// Get returns the object of a name, List those that match a selector.
	Get  func(ctx context.Context, clients *factory.Clients, name string) (DeletionTarget, error)
	List func(ctx context.Context, clients *factory.Clients, selector string) ([]DeletionTarget, error)
	// Delete deletes the object of that name and UID.
	Delete func(ctx context.Context, clients *factory.Clients, target DeletionTarget) error
	// Consequence follows the names in the question, as in ", with their unclaimed sandboxes".
	Consequence string
}

// DeletionOptions are the names and flags.
type DeletionOptions struct {
	Selection SelectionOptions
	Yes       bool
	// IgnoreNotFound succeeds for a name that does not exist.
	IgnoreNotFound bool
}

// Bind adds the flags to the command, and makes it delete the selected objects.
func (d Deletion) Bind(cmd *cobra.Command, f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &DeletionOptions{}
	o.Selection.addFlagsFor(cmd, "Select all "+string(d.Kind)+"s in the namespace.")
	o.Selection.AddQuietFlag(cmd)
	AddYesFlag(cmd, &o.Yes)
	AddIgnoreNotFoundFlag(cmd, &o.IgnoreNotFound)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.Selection.Names = args
		if err := o.Selection.ValidateForKind(d.Kind); err != nil {
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
	objects, failed := d.findTargets(ctx, clients, o)
	if len(objects) == 0 {
		if failed == nil && len(o.Selection.Names) == 0 {
			_, failed = printable.Fprintf(streams.ErrOut, "No %ss are selected in namespace %s.\n", d.Kind, clients.Namespace)
		}
		return failed
	}
	if !o.Yes {
		question := fmt.Sprintf("Delete %s in namespace %s%s?", d.targetNames(objects), clients.Namespace, d.Consequence)
		if err := Confirm(ctx, streams, question); err != nil {
			return err
		}
	}
	byName := map[string]DeletionTarget{}
	var refs []resolve.Ref
	for _, object := range objects {
		if _, twice := byName[object.Name]; !twice {
			refs = append(refs, resolve.Ref{Kind: d.Kind, Name: object.Name})
		}
		byName[object.Name] = object
	}
	return errors.Join(failed, ForEach(streams.Out, refs, func(ref resolve.Ref) (string, error) {
		object := Selected{Namespace: clients.Namespace, Ref: ref}
		return o.Selection.Result(object, "deleted"), d.Delete(ctx, clients, byName[ref.Name])
	}))
}

// findTargets returns the selected objects, with the errors of names that were not found.
func (d Deletion) findTargets(
	ctx context.Context, clients *factory.Clients, o *DeletionOptions,
) (objects []DeletionTarget, failed error) {
	if len(o.Selection.Names) == 0 {
		return d.List(ctx, clients, o.Selection.Selector)
	}
	for _, name := range o.Selection.BareNames() {
		object, err := d.Get(ctx, clients, name)
		if o.IgnoreNotFound && resolve.Is(err, resolve.NotFound) {
			continue
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		objects = append(objects, object)
	}
	return objects, failed
}

// targetNames joins the names of the targets for the question.
func (d Deletion) targetNames(targets []DeletionTarget) string {
	names := make([]string, len(targets))
	for i := range targets {
		names[i] = string(d.Kind) + "/" + targets[i].Name
	}
	return JoinNames(names)
}
