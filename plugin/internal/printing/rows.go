// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// grid returns the texts of the table. Columns with a priority are shown with -o wide only, those of labels at the end.
func (o *TableOptions) grid(items []Item, columns []metav1.TableColumnDefinition, namespaces bool) grid {
	var g grid
	add := func(namespace string, cell func(column int) any, labels []string) {
		var row []ColoredCell
		if namespaces {
			row = append(row, newCell(namespace))
		}
		for i := range columns {
			if columns[i].Priority == 0 || *o.flags.OutputFormat == wideFormat {
				row = append(row, newCell(cell(i)))
			}
		}
		for _, label := range labels {
			row = append(row, newCell(label))
		}
		g = append(g, row)
	}
	if !o.noHeaders {
		add("NAMESPACE", func(column int) any { return strings.ToUpper(columns[column].Name) }, o.labelHeaders())
	}
	for i := range items {
		add(items[i].object.GetNamespace(), func(column int) any { return items[i].cells[column] },
			o.labelCells(items[i].object))
	}
	return g
}

// labelHeaders returns the headers of the columns of labels: as in kubectl, what follows the prefix of the key.
func (o *TableOptions) labelHeaders() []string {
	var headers []string
	for _, key := range o.labelColumns {
		headers = append(headers, strings.ToUpper(key[strings.LastIndex(key, "/")+1:]))
	}
	if o.showLabels {
		headers = append(headers, "LABELS")
	}
	return headers
}

func (o *TableOptions) labelCells(object *unstructured.Unstructured) []string {
	var cells []string
	for _, key := range o.labelColumns {
		cells = append(cells, OrNone(object.GetLabels()[key]))
	}
	if o.showLabels {
		cells = append(cells, OrNone(strings.Join(SortedPairs(object.GetLabels()), ",")))
	}
	return cells
}

// printObjects prints the objects of all kinds as one List, or the one that was asked for by name as it is.
func (o *TableOptions) printObjects(items []Item, out io.Writer) error {
	printer, err := o.printer()
	if err != nil {
		return err
	}
	_, custom := printer.(*customColumns)
	// The printer of names cannot print a list of this type.
	if *o.flags.OutputFormat == "name" || o.quiet || (o.single && !custom) {
		for i := range items {
			if err := printer.PrintObj(items[i].object, out); err != nil {
				return err
			}
		}
		return nil
	}
	return printer.PrintObj(newList(items), out)
}

// shortNames prints an object as KIND/NAME, as the commands of the plugin take it.
type shortNames struct{}

// PrintObj implements printers.ResourcePrinter.
func (shortNames) PrintObj(object runtime.Object, out io.Writer) error {
	named, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil
	}
	kind := named.GetKind()
	switch kind {
	case apis.KindSandboxClaim:
		kind = "claim"
	case apis.KindSandboxWarmPool:
		kind = "pool"
	case apis.KindSandboxTemplate:
		kind = "template"
	case "PersistentVolumeClaim":
		kind = "volume"
	}
	_, err := printable.Fprintf(out, "%s/%s\n", strings.ToLower(kind), named.GetName())
	return err
}
