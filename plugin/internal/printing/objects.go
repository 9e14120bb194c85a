// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// ObjectPrinter returns the printer that the flags ask for. Its YAML can hold any text, unlike kubectl's printer, which
// refuses some control characters.
func ObjectPrinter(flags *genericclioptions.PrintFlags) (printers.ResourcePrinter, error) {
	printer, err := flags.ToPrinter()
	if err != nil || flags.OutputFormat == nil || *flags.OutputFormat != "yaml" {
		return printer, err
	}
	exact := printers.ResourcePrinter(&exactYAML{})
	if flags.TypeSetterPrinter != nil {
		exact = flags.TypeSetterPrinter.ToPrinter(exact)
	}
	return exact, nil
}

// exactYAML passes the JSON of an object to kubectl's YAML printer, escaped so that any text is accepted.
type exactYAML struct{ printer printers.YAMLPrinter }

// PrintObj implements printers.ResourcePrinter.
func (p *exactYAML) PrintObj(object runtime.Object, out io.Writer) error {
	if object.GetObjectKind().GroupVersionKind().Empty() {
		return fmt.Errorf("print YAML: a %T without apiVersion and kind", object)
	}
	text, err := printable.JSON(object)
	if err != nil {
		return err
	}
	return p.printer.PrintObj(&runtime.Unknown{Raw: text}, out)
}
