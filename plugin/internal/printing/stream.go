// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"cmp"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WithCells returns the item with other cells.
func (i Item) WithCells(cells []any) Item {
	i.cells = cells
	return i
}

// Compare orders items by kind, namespace and name.
func Compare(a, b Item) int {
	return cmp.Or(cmp.Compare(a.object.GetKind(), b.object.GetKind()),
		cmp.Compare(a.object.GetNamespace(), b.object.GetNamespace()),
		cmp.Compare(a.object.GetName(), b.object.GetName()))
}

// Stream prints the first items of a stream: a table, or one document for each object.
func (o *TableOptions) Stream(
	items []Item, columns []metav1.TableColumnDefinition, namespaces bool, out io.Writer,
) error {
	if o.Table() {
		o.streamWidths = o.grid(items, columns, namespaces).widths()
		return o.Print(items, columns, namespaces, out)
	}
	printer, err := o.printer()
	if err != nil {
		return err
	}
	o.streamPrinter = printer
	err = o.streamObjects(items, out)
	if custom, ok := printer.(*customColumns); ok {
		custom.noHeaders = true // Stream has printed them
	}
	return err
}

// StreamMore prints items after those of Stream, aligned with them where possible.
func (o *TableOptions) StreamMore(
	items []Item, columns []metav1.TableColumnDefinition, namespaces bool, out io.Writer,
) error {
	if !o.Table() {
		return o.streamObjects(items, out)
	}
	g := o.grid(items, columns, namespaces)
	if !o.noHeaders {
		g = g[1:]
	}
	return g.writeAligned(out, o.streamWidths, terminalWidth(out))
}

// streamObjects prints one object after the other. Custom columns are printed as lists.
func (o *TableOptions) streamObjects(items []Item, out io.Writer) error {
	if _, custom := o.streamPrinter.(*customColumns); custom {
		return o.streamPrinter.PrintObj(newList(items), out)
	}
	for i := range items {
		if err := o.streamPrinter.PrintObj(items[i].object, out); err != nil {
			return err
		}
	}
	return nil
}
