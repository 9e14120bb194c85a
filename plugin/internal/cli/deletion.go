// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package removal is what `pool delete` and `template delete` have in common: select, ask, delete.
//
// Invariants:
//   - what is shown before the question is what is deleted: the objects are pinned by UID;
//   - every selected object is tried, whatever becomes of the others.
package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// DeletionTarget is what is to be deleted.
type DeletionTarget struct {
	Name string
	UID  types.UID
}

// Deletion says how objects of a kind are found and deleted.
type Deletion struct {
	Ref resolve.Kind
	// Get finds one by its name, List those that a selector selects.
	Get  func(ctx context.Context, a *factory.Clients, name string) (DeletionTarget, error)
	List func(ctx context.Context, a *factory.Clients, selector string) ([]DeletionTarget, error)
	// Delete deletes the object of that name and UID.
	Delete func(ctx context.Context, a *factory.Clients, o DeletionTarget) error
	// Consequence is what the question adds to the names, as in ", with their unclaimed sandboxes".
	Consequence string
}

// DeletionOptions are the names and flags.
type DeletionOptions struct {
	Selection SelectionOptions
	Yes       bool
}

// Bind makes the command select and delete objects of the kind.
func (k Deletion) Bind(cmd *cobra.Command, f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &DeletionOptions{}
	o.Selection.AddFlagsFor(cmd, "Select all "+string(k.Ref)+"s in the namespace.")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "Do not ask.")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.Selection.Names = args
		if err := o.Selection.ValidateForKind(k.Ref); err != nil {
			return err
		}
		return k.Run(cmd.Context(), f, streams, o)
	}
	return cmd
}

// Run deletes the selected objects.
func (k Deletion) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *DeletionOptions) error {
	if !o.Yes && !CanConfirm(streams.In) {
		return UsageError(errors.New("delete cannot ask without a terminal: give --yes if you mean it"))
	}
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	objects, failed := k.findTargets(ctx, a, o)
	if len(objects) == 0 {
		if failed == nil {
			_, failed = printable.Fprintf(streams.ErrOut, "No %ss are selected in namespace %s.\n", k.Ref, a.Namespace)
		}
		return failed
	}
	if !o.Yes {
		question := fmt.Sprintf("Delete %s in namespace %s%s?", k.shown(objects), a.Namespace, k.Consequence)
		if err := Confirm(ctx, streams, question); err != nil {
			return err
		}
	}
	byName := map[string]DeletionTarget{}
	var refs []resolve.Ref
	for _, object := range objects {
		if _, twice := byName[object.Name]; !twice {
			refs = append(refs, resolve.Ref{Kind: k.Ref, Name: object.Name})
		}
		byName[object.Name] = object
	}
	return errors.Join(failed, ForEach(streams.Out, refs, func(ref resolve.Ref) (string, error) {
		return ref.String() + " deleted", k.Delete(ctx, a, byName[ref.Name])
	}))
}

func (k Deletion) findTargets(ctx context.Context, a *factory.Clients, o *DeletionOptions) (objects []DeletionTarget, failed error) {
	if len(o.Selection.Names) == 0 {
		return k.List(ctx, a, o.Selection.Selector)
	}
	for _, name := range o.Selection.BareNames() {
		object, err := k.Get(ctx, a, name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		objects = append(objects, object)
	}
	return objects, failed
}

// maxNamesInQuestion is how many names a question holds.
const maxNamesInQuestion = 5

func (k Deletion) shown(objects []DeletionTarget) string {
	var names []string
	for i, object := range objects {
		if i == maxNamesInQuestion {
			names = append(names, fmt.Sprintf("%d more", len(objects)-maxNamesInQuestion))
			break
		}
		names = append(names, string(k.Ref)+"/"+object.Name)
	}
	return strings.Join(names, ", ")
}
