// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package create is the command `create`.
package create

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/scheme"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/access"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/argument"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/explain"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/waiting"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/wait"
)

const long = `create makes a Sandbox: one Pod with a stable name, from an image and, after --, a command. Without a command the
image's own runs; it must keep running, since a container that ends is started again (see --restart).

Volumes keep their data while the sandbox is suspended and are deleted with it. The Pod gets no credentials for the
Kubernetes API.

A Sandbox that cannot be created leaves nothing behind. One that was created stays, even if --wait fails, times out or is
interrupted: it may still become ready, and the message tells how to delete it.`

const examples = `  # A sandbox that does nothing until you use it
  kubectl sandbox create dev --image debian:12 -- sleep infinity

  # With data that survives suspension, for four hours, and wait until it can be used
  kubectl sandbox create dev --image python:3.13 --volume data=1Gi:/data --ttl 4h --wait -- sleep infinity

  # A job that runs once
  kubectl sandbox create job --image debian:12 --restart Never --env MODE=fast -- sh -c 'echo $MODE'

  # Only show what would be created
  kubectl sandbox create dev --image debian:12 --dry-run=client -o yaml`

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := NewOptions()
	cmd := &cobra.Command{
		Use:     "create NAME --image IMAGE [flags] [-- COMMAND ARGS...]",
		Short:   "Create a sandbox from an image",
		Long:    long,
		Example: examples,
		Args:    argument.Exactly("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Command = argument.BeforeDash(cmd, args)[0], argument.AfterDash(cmd, args)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.addFlags(cmd)
	return cmd
}

// Run creates the Sandbox, prints it, and waits if asked to.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	namespace, _, err := f.Namespace()
	if err != nil {
		return err
	}
	sandbox := o.Build(namespace, f.Clock().Now())
	if o.DryRun == dryRunClient {
		return o.print(sandbox, streams)
	}
	a, err := access.Open(f)
	if err != nil {
		return err
	}
	created, err := a.Client.Create(ctx, sandbox, o.DryRun == dryRunServer)
	if err != nil {
		return err
	}
	// One document for programs, when there is nothing more to add to it; people see at once that it exists.
	document := *o.printing.OutputFormat != ""
	if o.DryRun == dryRunServer || !o.Waiting.Wait {
		return o.print(created, streams)
	}
	if !document {
		if err := o.print(created, streams); err != nil {
			return err
		}
	}
	ready, err := o.wait(ctx, f, a, created, streams)
	if document {
		if ready != nil {
			created = ready
		}
		err = errors.Join(err, o.print(created, streams))
	}
	return err
}

// wait waits until the Sandbox is ready and returns it as it was then. If it does not become so, it stays, and the user is
// told how to delete it.
func (o *Options) wait(
	ctx context.Context, f factory.Factory, a *access.Access, created *agentsv1beta1.Sandbox, streams genericiooptions.IOStreams,
) (*agentsv1beta1.Sandbox, error) {
	started := f.Clock().Now()
	progress := waiting.NewProgress(streams.ErrOut)
	target, err := a.Waiter.For(ctx, wait.Request{
		Namespace: a.Namespace, Ref: resolve.Ref{Kind: resolve.KindSandbox, Name: created.Name}, UID: created.UID,
		Goal: wait.Ready, Timeout: o.Waiting.Timeout, Progress: progress.Of(created.Name, wait.Ready),
	})
	if err != nil {
		_, _ = fmt.Fprintf(streams.ErrOut, "Sandbox %s stays; to delete it: %s\n", created.Name, // the error is told either way
			explain.Command("delete "+created.Name+" --yes", f))
		return nil, err
	}
	_, err = fmt.Fprintf(streams.ErrOut, "%s is ready after %.1f s\n", created.Name, f.Clock().Since(started).Seconds())
	return target.Sandbox, err
}

func (o *Options) print(sandbox *agentsv1beta1.Sandbox, streams genericiooptions.IOStreams) error {
	switch o.DryRun {
	case dryRunClient:
		if err := o.printing.Complete("%s (dry run)"); err != nil {
			return err
		}
	case dryRunServer:
		if err := o.printing.Complete("%s (server dry run)"); err != nil {
			return err
		}
	}
	printer, err := o.printing.ToPrinter()
	if err != nil {
		return err
	}
	return printer.PrintObj(sandbox, streams.Out)
}

func newPrintFlags() *genericclioptions.PrintFlags {
	return genericclioptions.NewPrintFlags("created").WithTypeSetter(scheme.Scheme)
}
