// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package table prints lists of objects: as tables of our own, and in kubectl's formats.
//
// Invariant: with a format for programs the output is one document, a List, also when there is nothing in it.
package printing

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
)

const wideFormat = "wide"

// None stands in a cell that has nothing to say.
const None = "-"

// TableOptions are the flags that say how a list is printed.
type TableOptions struct {
	flags     *genericclioptions.PrintFlags
	noHeaders bool
	sortBy    string
	// stream is how wide the columns of a list that goes on are.
	streamWidths []int
	// streaming prints the objects of a list that goes on.
	streamPrinter printers.ResourcePrinter
}

// NewTableOptions returns Options that print a table.
func NewTableOptions() *TableOptions {
	return &TableOptions{flags: genericclioptions.NewPrintFlags("")}
}

// AddFlags adds --output, --no-headers and --sort-by, and kubectl's flags for templates.
func (o *TableOptions) AddFlags(cmd *cobra.Command) {
	o.AddFormatFlags(cmd)
	cmd.Flags().StringVar(&o.sortBy, "sort-by", "", "Sort by this field of the objects, as in .metadata.creationTimestamp.")
}

// AddFormatFlags adds what AddFlags adds but --sort-by: for tables whose order means something.
func (o *TableOptions) AddFormatFlags(cmd *cobra.Command) {
	o.flags.AddFlags(cmd)
	cmd.Flags().Lookup("output").Usage = "Output format: wide, json, yaml, name, jsonpath=, go-template=, custom-columns= and the other formats of kubectl get."
	cmd.Flags().BoolVar(&o.noHeaders, "no-headers", false, "Leave out the headers of a table.")
}

// Table says whether a table is printed, and not the objects.
func (o *TableOptions) Table() bool {
	format := *o.flags.OutputFormat
	return format == wideFormat || (format == "" && *o.flags.TemplatePrinterFlags.TemplateArgument == "")
}

// Validate checks the flags.
func (o *TableOptions) Validate() error {
	if o.sortBy != "" {
		if _, err := parsePath(o.sortBy); err != nil {
			return fmt.Errorf("--sort-by: %w", err)
		}
	}
	if o.Table() {
		return nil
	}
	_, err := o.printer()
	return err
}

func (o *TableOptions) printer() (printers.ResourcePrinter, error) {
	format := *o.flags.OutputFormat
	columns, err := newCustomColumns(format, o.noHeaders)
	if columns != nil || err != nil {
		return columns, err
	}
	printer, err := ObjectPrinter(o.flags)
	if genericclioptions.IsNoCompatiblePrinterError(err) {
		formats := append(o.flags.AllowedFormats(), wideFormat, "custom-columns", "custom-columns-file")
		slices.Sort(formats)
		return nil, fmt.Errorf("-o %q is no format: use one of %s", format, strings.Join(formats, ", "))
	}
	return printer, err
}

// Item is one object of a list, and its row in a table.
type Item struct {
	object *unstructured.Unstructured
	cells  []any
}

// Object is the object, as it is printed for programs.
func (i *Item) Object() *unstructured.Unstructured { return i.object }

// Cells are the cells of its row.
func (i *Item) Cells() []any { return i.cells }

// NewItem makes an Item of a typed object, whose kind typed clients leave out, and the cells of its row.
func NewItem(object metav1.Object, kind schema.GroupVersionKind, cells ...any) (Item, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return Item{}, fmt.Errorf("convert a %s: %w", kind.Kind, err)
	}
	item := &unstructured.Unstructured{Object: content}
	item.SetGroupVersionKind(kind)
	item.SetManagedFields(nil)
	return Item{object: item, cells: cells}, nil
}

// Print prints the items. With namespaces a table names theirs.
func (o *TableOptions) Print(items []Item, columns []metav1.TableColumnDefinition, namespaces bool, out io.Writer) error {
	if o.sortBy != "" {
		if err := o.sort(items); err != nil {
			return err
		}
	}
	if !o.Table() {
		return o.printObjects(items, out)
	}
	return o.grid(items, columns, namespaces).write(out, terminalWidth(out))
}

// grid is the table's texts. Columns of a priority are for -o wide.
func (o *TableOptions) grid(items []Item, columns []metav1.TableColumnDefinition, namespaces bool) grid {
	var g grid
	add := func(namespace string, cell func(column int) any) {
		var row []ColoredCell
		if namespaces {
			row = append(row, newCell(namespace))
		}
		for i := range columns {
			if columns[i].Priority == 0 || *o.flags.OutputFormat == wideFormat {
				row = append(row, newCell(cell(i)))
			}
		}
		g = append(g, row)
	}
	if !o.noHeaders {
		add("NAMESPACE", func(column int) any { return strings.ToUpper(columns[column].Name) })
	}
	for i := range items {
		add(items[i].object.GetNamespace(), func(column int) any { return items[i].cells[column] })
	}
	return g
}

// printObjects prints one List of all objects, whatever their kinds.
func (o *TableOptions) printObjects(items []Item, out io.Writer) error {
	printer, err := o.printer()
	if err != nil {
		return err
	}
	if *o.flags.OutputFormat == "name" { // its printer looks into no list of this type
		for i := range items {
			if err := printer.PrintObj(items[i].object, out); err != nil {
				return err
			}
		}
		return nil
	}
	return printer.PrintObj(newList(items), out)
}

func newList(items []Item) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{Object: map[string]any{
		"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""},
	}}
	for i := range items {
		list.Items = append(list.Items, *items[i].object)
	}
	return list
}

// sort sorts by the field: numbers by value, times and texts by letter; those without the field come first.
func (o *TableOptions) sort(items []Item) error {
	path, err := parsePath(o.sortBy)
	if err != nil {
		return err
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		one, other := fieldValue(path, a.object.Object), fieldValue(path, b.object.Object)
		x, errX := strconv.ParseFloat(one, 64)
		y, errY := strconv.ParseFloat(other, 64)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
		return strings.Compare(one, other)
	})
	return nil
}

// Age is the cell that says how old an object is.
func Age(created metav1.Time, now time.Time) string {
	if created.IsZero() {
		return None
	}
	return duration.HumanDuration(now.Sub(created.Time))
}

// OrNone is the text, or what stands for nothing.
func OrNone(text string) string {
	if text == "" {
		return None
	}
	return text
}
