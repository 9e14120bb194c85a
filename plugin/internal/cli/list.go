// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package listing is what `pool list` and `template list` have in common: which objects, and how they are printed.
package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// ListOptions are the names and flags.
type ListOptions struct {
	Names         []string
	AllNamespaces bool
	Selector      string

	kind     resolve.Kind
	refs     []resolve.Ref
	printing *printing.TableOptions
}

// NewListOptions returns Options of a command that lists one kind.
func NewListOptions(kind resolve.Kind) *ListOptions {
	return &ListOptions{kind: kind, printing: printing.NewTableOptions()}
}

// AddFlags adds the flags.
func (o *ListOptions) AddFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "List all namespaces.")
	cmd.Flags().StringVarP(&o.Selector, "selector", "l", "", "Select by label, as in '-l team=a,stage!=test'.")
	o.printing.AddFlags(cmd)
}

// Validate checks the names and flags.
func (o *ListOptions) Validate() error {
	if len(o.Names) > 0 && (o.AllNamespaces || o.Selector != "") {
		return UsageError(errors.New("NAME does not go together with -A or -l"))
	}
	if _, err := labels.Parse(o.Selector); err != nil {
		return UsageError(fmt.Errorf("-l %q: %w", o.Selector, err))
	}
	if err := o.printing.Validate(); err != nil {
		return UsageError(err)
	}
	refs, err := ParseRefs(o.Names)
	if err != nil {
		return err
	}
	o.refs = refs
	return RequireKind(o.kind, refs)
}

// BareNames are the names without their kind. They are there after Validate.
func (o *ListOptions) BareNames() []string {
	names := make([]string, 0, len(o.refs))
	for _, ref := range o.refs {
		names = append(names, ref.Name)
	}
	return names
}

// Namespace is where to list: the given one, or all.
func (o *ListOptions) Namespace(namespace string) string {
	if o.AllNamespaces {
		return metav1.NamespaceAll
	}
	return namespace
}

// Print prints the items, or on stderr that there is nothing to show.
func (o *ListOptions) Print(items []printing.Item, columns []metav1.TableColumnDefinition, namespace string, streams genericiooptions.IOStreams) error {
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
