// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// ListOptions are the names and flags of a command that lists objects of one kind.
type ListOptions struct {
	Names         []string
	AllNamespaces bool
	Selector      string
	// IgnoreNotFound lists nothing for a name that does not exist, instead of failing.
	IgnoreNotFound bool

	kind     resolve.Kind
	refs     []resolve.Ref
	printing *printing.TableOptions
}

// NewListOptions returns the options of a command that lists the kind.
func NewListOptions(kind resolve.Kind) *ListOptions {
	return &ListOptions{kind: kind, printing: printing.NewTableOptions()}
}

// AddFlags adds --all-namespaces, --selector and the flags of the table.
func (o *ListOptions) AddFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "List all namespaces.")
	cmd.Flags().StringVarP(&o.Selector, "selector", "l", "", "Select by label, as in '-l team=a,stage!=test'.")
	AddIgnoreNotFoundFlag(cmd, &o.IgnoreNotFound)
	o.printing.AddFlags(cmd)
}

// AddIgnoreNotFoundFlag adds --ignore-not-found.
func AddIgnoreNotFoundFlag(cmd *cobra.Command, ignore *bool) {
	cmd.Flags().BoolVar(ignore, "ignore-not-found", false, "A NAME that does not exist is no error.")
}

// Validate checks the names and flags.
func (o *ListOptions) Validate() error {
	refs, err := ParseListFlags(o.Names, o.AllNamespaces, o.Selector, o.printing)
	if err != nil {
		return err
	}
	o.refs = refs
	o.printing.SetSingle(len(refs) == 1)
	return RequireKind(o.kind, refs)
}

// ParseListFlags validates the names and flags of a command that lists objects, and parses the names. Its errors are
// usage errors.
func ParseListFlags(
	names []string, allNamespaces bool, selector string, table *printing.TableOptions,
) ([]resolve.Ref, error) {
	if len(names) > 0 && (allNamespaces || selector != "") {
		return nil, UsageError(errors.New("NAME does not go together with -A or -l"))
	}
	if err := ValidateSelector(selector); err != nil {
		return nil, err
	}
	if err := table.Validate(); err != nil {
		return nil, UsageError(err)
	}
	return ParseRefs(names)
}

// Listed returns the objects of the given names or, without names, all that match the selector. A name that does not
// exist is an error; the other objects are still returned. Validate must have been called.
func Listed[T any](
	ctx context.Context, o *ListOptions, namespace string, get GetFunc[T], list ListFunc[T],
) (objects []T, failed error) {
	if len(o.refs) == 0 {
		return list(ctx, o.Namespace(namespace), o.Selector)
	}
	return getNamed(ctx, o.refs, o.IgnoreNotFound, namespace, get)
}

// Namespace returns the namespace to list: the given one, or all.
func (o *ListOptions) Namespace(namespace string) string {
	if o.AllNamespaces {
		return metav1.NamespaceAll
	}
	return namespace
}

// Print prints the items. If a table would be empty, it prints on stderr that nothing was found.
func (o *ListOptions) Print(
	items []printing.Item, columns []metav1.TableColumnDefinition, namespace string, streams genericiooptions.IOStreams,
) error {
	if len(items) > 0 || !o.printing.Table() {
		return o.printing.Print(items, columns, o.AllNamespaces, streams.Out)
	}
	if len(o.refs) > 0 {
		return nil
	}
	where := "any namespace"
	if !o.AllNamespaces {
		where = "namespace " + namespace
	}
	_, err := printable.Fprintf(streams.ErrOut, "No %ss found in %s.\n", o.kind, where)
	return err
}
