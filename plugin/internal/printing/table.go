// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"cmp"
	"errors"
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

// None is the cell of a value that is absent or unknown.
const None = "-"

// TableOptions are the flags that say how a list is printed.
type TableOptions struct {
	flags     *genericclioptions.PrintFlags
	noHeaders bool
	sortBy    string
	// labelColumns are the keys of labels that have a column; showLabels adds one with all labels.
	labelColumns []string
	showLabels   bool
	quiet        bool
	single       bool
	// streamWidths are the widths of the columns that Stream printed.
	streamWidths []int
	// streamPrinter prints the objects of a stream.
	streamPrinter printers.ResourcePrinter
}

// NewTableOptions returns options that print a table.
func NewTableOptions() *TableOptions {
	return &TableOptions{flags: genericclioptions.NewPrintFlags("")}
}

// AddFlags adds --output, --no-headers, --sort-by, --show-labels, --label-columns and --quiet, and kubectl's flags for
// templates.
func (o *TableOptions) AddFlags(cmd *cobra.Command) {
	o.AddFormatFlags(cmd)
	cmd.Flags().StringSliceVarP(&o.labelColumns, "label-columns", "L", nil,
		"Add a column for each of these labels, as in '-L team,stage'. Repeatable.")
	cmd.Flags().BoolVar(&o.showLabels, "show-labels", false, "Add a column with all labels.")
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false,
		"Print only names, as in claim/dev, one on each line; every command takes them.")
	cmd.Flags().StringVar(&o.sortBy, "sort-by", "",
		"Sort by this field of the objects, as in .metadata.creationTimestamp.")
}

// AddFormatFlags adds the flags of AddFlags except --sort-by, for tables whose order has a meaning.
func (o *TableOptions) AddFormatFlags(cmd *cobra.Command) {
	o.flags.AddFlags(cmd)
	cmd.Flags().Lookup("output").Usage = "Output format: wide, json, yaml, name, jsonpath=, go-template=, " +
		"custom-columns= and the other formats of kubectl get."
	cmd.Flags().BoolVar(&o.noHeaders, "no-headers", false, "Leave out the headers of a table.")
}

// SetSingle says whether one object was asked for by name. Programs then get that object, not a List of it.
func (o *TableOptions) SetSingle(single bool) { o.single = single }

// Table reports whether a table is printed, as opposed to the objects.
func (o *TableOptions) Table() bool {
	if o.quiet {
		return false
	}
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
	if o.quiet && (*o.flags.OutputFormat != "" || *o.flags.TemplatePrinterFlags.TemplateArgument != "") {
		return errors.New("--quiet and --output do not go together")
	}
	if o.Table() {
		return nil
	}
	_, err := o.printer()
	return err
}

// printer returns the printer for the objects in the format of the flags.
func (o *TableOptions) printer() (printers.ResourcePrinter, error) {
	if o.quiet {
		return shortNames{}, nil
	}
	format := *o.flags.OutputFormat
	columns, err := newCustomColumns(format, o.noHeaders)
	if columns != nil || err != nil {
		return columns, err
	}
	printer, err := ObjectPrinter(o.flags)
	if genericclioptions.IsNoCompatiblePrinterError(err) {
		formats := append(o.flags.AllowedFormats(), wideFormat, "custom-columns", "custom-columns-file")
		slices.Sort(formats)
		return nil, fmt.Errorf("-o %q is not an output format: use one of %s", format, strings.Join(formats, ", "))
	}
	return printer, err
}

// Item is an object of a list, with the cells of its row.
type Item struct {
	object *unstructured.Unstructured
	cells  []any
}

// Object returns the object as it is printed for programs.
func (i *Item) Object() *unstructured.Unstructured { return i.object }

// Cells returns the cells of the row.
func (i *Item) Cells() []any { return i.cells }

// NewItem returns an Item of an object with the cells of its row. Objects of typed clients lack their kind, so it is an
// argument. Managed fields are left out.
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

// Print prints the items. With namespaces, a table has a column for them.
func (o *TableOptions) Print(
	items []Item, columns []metav1.TableColumnDefinition, namespaces bool, out io.Writer,
) error {
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

// newList returns the items as a List.
func newList(items []Item) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{Object: map[string]any{
		"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""},
	}}
	for i := range items {
		list.Items = append(list.Items, *items[i].object)
	}
	return list
}

// sort sorts by the field: numbers by value, everything else as text. Objects without the field are compared as
// "<none>".
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

// Age returns the cell for the age of an object.
func Age(created metav1.Time, now time.Time) string {
	if created.IsZero() {
		return None
	}
	return duration.HumanDuration(now.Sub(created.Time))
}

// OrNone returns the text, or None if it is empty.
func OrNone(text string) string {
	if text == "" {
		return None
	}
	return text
}
