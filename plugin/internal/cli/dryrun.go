// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/scheme"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
)

// The values of --dry-run.
const (
	DryRunNone   = "none"
	DryRunClient = "client"
	DryRunServer = "server"
)

// DryRunOptions are the flag --dry-run.
type DryRunOptions struct{ Mode string }

// AddFlag adds --dry-run.
func (o *DryRunOptions) AddFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Mode, "dry-run", DryRunNone,
		"Print what would be done, and change nothing: client, the meaning without a value; server also has the cluster "+
			"check it.")
	cmd.Flags().Lookup("dry-run").NoOptDefVal = DryRunClient
	complete := cobra.FixedCompletions([]cobra.Completion{DryRunNone, DryRunClient, DryRunServer},
		cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("dry-run", complete) // it fails only for an unknown flag
}

// JoinDryRun joins --dry-run with a mode that follows it as a word of its own, because the flag's value is optional:
// "--dry-run -o yaml" is a dry run of the client.
func JoinDryRun(args []string) []string {
	joined := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(joined, args[i:]...)
		}
		if i > 0 && args[i-1] == "--dry-run" && (arg == DryRunNone || arg == DryRunClient || arg == DryRunServer) {
			joined[len(joined)-1] += "=" + arg
		} else {
			joined = append(joined, arg)
		}
	}
	return joined
}

// Validate checks the flag.
func (o *DryRunOptions) Validate() error {
	switch o.Mode {
	case DryRunNone, DryRunClient, DryRunServer:
		return nil
	}
	return fmt.Errorf("--dry-run is %q: use client, server or none", o.Mode)
}

// Enabled reports whether this is a dry run, which changes nothing.
func (o *DryRunOptions) Enabled() bool { return o.Mode != DryRunNone }

// OnClient reports whether the dry run sends nothing to the cluster.
func (o *DryRunOptions) OnClient() bool { return o.Mode == DryRunClient }

// OnServer reports whether the cluster checks the request without persisting it.
func (o *DryRunOptions) OnServer() bool { return o.Mode == DryRunServer }

// Suffix returns what a dry run adds to the words for what was done.
func (o *DryRunOptions) Suffix() string {
	switch o.Mode {
	case DryRunClient:
		return " (dry run)"
	case DryRunServer:
		return " (server dry run)"
	}
	return ""
}

// NewCreatedPrintFlags returns kubectl's print flags for created objects, without --template: our flag of that name
// takes a SandboxTemplate. Templates for the output are given as -o go-template=.
func NewCreatedPrintFlags() *genericclioptions.PrintFlags {
	flags := genericclioptions.NewPrintFlags("created").WithTypeSetter(scheme.Scheme)
	flags.TemplatePrinterFlags.TemplateArgument = nil
	return flags
}

// Print prints a created object in the format of the flags. Without a format it prints that the object was created, or
// would be.
func (o *DryRunOptions) Print(flags *genericclioptions.PrintFlags, object runtime.Object, out io.Writer) error {
	if o.Enabled() {
		if err := flags.Complete("%s" + o.Suffix()); err != nil {
			return err
		}
	}
	printer, err := printing.ObjectPrinter(flags)
	if err != nil {
		return err
	}
	return printer.PrintObj(object, out)
}
