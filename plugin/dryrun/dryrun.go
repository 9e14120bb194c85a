// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package dryrun holds the flag --dry-run, and how what was only tried is printed.
package dryrun

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/scheme"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/output"
)

// Values of --dry-run.
const (
	None   = "none"
	Client = "client"
	Server = "server"
)

// Options are the flag.
type Options struct{ Mode string }

// AddFlag adds --dry-run.
func (o *Options) AddFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Mode, "dry-run", None, "Change nothing: client only prints the object, server has the cluster check it too.")
	complete := cobra.FixedCompletions([]cobra.Completion{None, Client, Server}, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("dry-run", complete) // fails only for a flag that does not exist
}

// Validate checks the flag.
func (o *Options) Validate() error {
	switch o.Mode {
	case None, Client, Server:
		return nil
	}
	return fmt.Errorf("--dry-run is %q: use client, server or none", o.Mode)
}

// Asked says whether nothing is to be changed.
func (o *Options) Asked() bool { return o.Mode != None }

// OnClient says whether the cluster is not even asked.
func (o *Options) OnClient() bool { return o.Mode == Client }

// OnServer says whether the cluster is asked to check only.
func (o *Options) OnServer() bool { return o.Mode == Server }

// NewPrintFlags returns kubectl's flags for what was created, without its --template: that is ours, for a SandboxTemplate. A
// template for the output is given as -o go-template=.
func NewPrintFlags() *genericclioptions.PrintFlags {
	flags := genericclioptions.NewPrintFlags("created").WithTypeSetter(scheme.Scheme)
	flags.TemplatePrinterFlags.TemplateArgument = nil
	return flags
}

// Print prints an object as the flags of the command say; without a format, that it was created or only tried.
func (o *Options) Print(flags *genericclioptions.PrintFlags, object runtime.Object, out io.Writer) error {
	switch o.Mode {
	case Client:
		if err := flags.Complete("%s (dry run)"); err != nil {
			return err
		}
	case Server:
		if err := flags.Complete("%s (server dry run)"); err != nil {
			return err
		}
	}
	printer, err := output.Printer(flags)
	if err != nil {
		return err
	}
	return printer.PrintObj(object, out)
}
