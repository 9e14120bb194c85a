// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
)

const wide = "wide"

// printing is how the list is printed: kubectl's formats, and a table of our own.
type printing struct {
	flags     *genericclioptions.PrintFlags
	noHeaders bool
	sortBy    string
}

func newPrinting() *printing {
	return &printing{flags: genericclioptions.NewPrintFlags("")}
}

func (p *printing) addFlags(cmd *cobra.Command) {
	p.flags.AddFlags(cmd)
	cmd.Flags().Lookup("output").Usage = "Output format: wide, json, yaml, name, jsonpath=, go-template=, custom-columns= and the other formats of kubectl get."
	cmd.Flags().BoolVar(&p.noHeaders, "no-headers", false, "Leave out the headers of a table.")
	cmd.Flags().StringVar(&p.sortBy, "sort-by", "", "Sort by this field of the objects, as in .metadata.creationTimestamp.")
}

func (p *printing) table() bool {
	format := *p.flags.OutputFormat
	return format == wide || (format == "" && *p.flags.TemplatePrinterFlags.TemplateArgument == "")
}

func (p *printing) validate() error {
	if p.sortBy != "" {
		if _, err := parsePath(p.sortBy); err != nil {
			return fmt.Errorf("--sort-by: %w", err)
		}
	}
	if p.table() {
		return nil
	}
	_, err := p.printer()
	return err
}

func (p *printing) printer() (printers.ResourcePrinter, error) {
	format := *p.flags.OutputFormat
	columns, err := newCustomColumns(format, p.noHeaders)
	if columns != nil || err != nil {
		return columns, err
	}
	printer, err := p.flags.ToPrinter()
	if genericclioptions.IsNoCompatiblePrinterError(err) {
		formats := append(p.flags.AllowedFormats(), wide, "custom-columns", "custom-columns-file")
		slices.Sort(formats)
		return nil, fmt.Errorf("-o %q is no format: use one of %s", format, strings.Join(formats, ", "))
	}
	return printer, err
}

// printObjects prints one List of all objects, whatever their kinds.
func (p *printing) printObjects(objects *found, out io.Writer) error {
	printer, err := p.printer()
	if err != nil {
		return err
	}
	items, err := objects.unstructured()
	if err != nil {
		return err
	}
	if p.sortBy != "" {
		if items, err = p.sorted(items); err != nil {
			return err
		}
	}
	list := &unstructured.UnstructuredList{Object: map[string]any{
		"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""},
	}}
	for _, item := range items {
		list.Items = append(list.Items, *item)
	}
	if *p.flags.OutputFormat == "name" { // its printer looks into no list of this type
		for _, item := range items {
			if err := printer.PrintObj(item, out); err != nil {
				return err
			}
		}
		return nil
	}
	return printer.PrintObj(list, out)
}

// sorted sorts by the field: numbers by value, times and texts by letter; those without the field come first.
func (p *printing) sorted(items []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	path, err := parsePath(p.sortBy)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(items, func(a, b *unstructured.Unstructured) int {
		one, other := value(path, a.Object), value(path, b.Object)
		x, errX := strconv.ParseFloat(one, 64)
		y, errY := strconv.ParseFloat(other, 64)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
		return strings.Compare(one, other)
	})
	return items, nil
}

// printTable prints one row for each object.
func (p *printing) printTable(objects *found, f factory.Factory, namespaces bool, out io.Writer) error {
	rows := objects.rows(f.Clock().Now())
	if p.sortBy != "" {
		items, err := objects.unstructured()
		if err != nil {
			return err
		}
		byName := map[string]metav1.TableRow{}
		for i, item := range items {
			byName[item.GetKind()+item.GetNamespace()+"/"+item.GetName()] = rows[i]
		}
		if items, err = p.sorted(items); err != nil {
			return err
		}
		for i, item := range items {
			rows[i] = byName[item.GetKind()+item.GetNamespace()+"/"+item.GetName()]
		}
	}
	table := &metav1.Table{ColumnDefinitions: columns(), Rows: rows}
	return printers.NewTablePrinter(printers.PrintOptions{
		NoHeaders: p.noHeaders, Wide: *p.flags.OutputFormat == wide, WithNamespace: namespaces,
	}).PrintObj(table, out)
}

// unstructured returns the objects with their kinds, which typed clients leave out.
func (o *found) unstructured() ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	add := func(object any, kind, apiVersion string) error {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return fmt.Errorf("convert a %s: %w", kind, err)
		}
		item := &unstructured.Unstructured{Object: content}
		item.SetKind(kind)
		item.SetAPIVersion(apiVersion)
		item.SetManagedFields(nil)
		all = append(all, item)
		return nil
	}
	for i := range o.claims {
		if err := add(&o.claims[i], apis.KindSandboxClaim, extensionsv1beta1.SchemeGroupVersion.String()); err != nil {
			return nil, err
		}
	}
	for i := range o.sandboxes {
		if err := add(&o.sandboxes[i], apis.KindSandbox, agentsv1beta1.SchemeGroupVersion.String()); err != nil {
			return nil, err
		}
	}
	return all, nil
}
