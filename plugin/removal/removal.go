// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package removal is what `pool delete` and `template delete` have in common: select, ask, delete.
//
// Invariants:
//   - what is shown before the question is what is deleted: the objects are pinned by UID;
//   - every selected object is tried, whatever becomes of the others.
package removal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/access"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/confirm"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/selection"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Object is what is to be deleted.
type Object struct {
	Name string
	UID  types.UID
}

// Kind says how objects of a kind are found and deleted.
type Kind struct {
	Ref resolve.Kind
	// Get finds one by its name, List those that a selector selects.
	Get  func(ctx context.Context, a *access.Access, name string) (Object, error)
	List func(ctx context.Context, a *access.Access, selector string) ([]Object, error)
	// Delete deletes the object of that name and UID.
	Delete func(ctx context.Context, a *access.Access, o Object) error
	// Consequence is what the question adds to the names, as in ", with their unclaimed sandboxes".
	Consequence string
}

// Options are the names and flags.
type Options struct {
	Selection selection.Options
	Yes       bool
}

// Bind makes the command select and delete objects of the kind.
func (k Kind) Bind(cmd *cobra.Command, f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	o.Selection.AddFlagsFor(cmd, "Select all "+string(k.Ref)+"s in the namespace.")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "Do not ask.")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.Selection.Names = args
		if err := o.Selection.ValidateOf(k.Ref); err != nil {
			return err
		}
		return k.Run(cmd.Context(), f, streams, o)
	}
	return cmd
}

// Run deletes the selected objects.
func (k Kind) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *Options) error {
	if !o.Yes && !confirm.Possible(streams.In) {
		return exit.Usage(errors.New("delete cannot ask without a terminal: give --yes if you mean it"))
	}
	a, err := access.Open(f)
	if err != nil {
		return err
	}
	objects, failed := k.find(ctx, a, o)
	if len(objects) == 0 {
		if failed == nil {
			_, failed = printable.Fprintf(streams.ErrOut, "No %ss are selected in namespace %s.\n", k.Ref, a.Namespace)
		}
		return failed
	}
	if !o.Yes {
		question := fmt.Sprintf("Delete %s in namespace %s%s?", k.shown(objects), a.Namespace, k.Consequence)
		if err := confirm.Ask(ctx, streams, question); err != nil {
			return err
		}
	}
	byName := map[string]Object{}
	var refs []resolve.Ref
	for _, object := range objects {
		if _, twice := byName[object.Name]; !twice {
			refs = append(refs, resolve.Ref{Kind: k.Ref, Name: object.Name})
		}
		byName[object.Name] = object
	}
	return errors.Join(failed, selection.Each(streams.Out, refs, func(ref resolve.Ref) (string, error) {
		return ref.String() + " deleted", k.Delete(ctx, a, byName[ref.Name])
	}))
}

func (k Kind) find(ctx context.Context, a *access.Access, o *Options) (objects []Object, failed error) {
	if len(o.Selection.Names) == 0 {
		return k.List(ctx, a, o.Selection.Selector)
	}
	for _, name := range o.Selection.GivenNames() {
		object, err := k.Get(ctx, a, name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		objects = append(objects, object)
	}
	return objects, failed
}

// most is how many names a question holds.
const most = 5

func (k Kind) shown(objects []Object) string {
	var names []string
	for i, object := range objects {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(objects)-most))
			break
		}
		names = append(names, string(k.Ref)+"/"+object.Name)
	}
	return strings.Join(names, ", ")
}
