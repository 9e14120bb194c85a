// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package create is the command `create`.
package create

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/provision"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	sdkvolume "github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

const long = `create makes a sandbox: one Pod with a stable name.

With --template or --pool it makes a SandboxClaim, which gets a warm sandbox at once where a pool has one, and a new
one otherwise. --template alone takes a warm one of any pool of the template, --pool P one of that pool, --pool none a
new one. A warm sandbox runs already: --env and --volume make a new one, and the template must allow them. Labels and
annotations are put on the claim itself and, by its sandboxMetadata and podMetadata, on the Sandbox and its Pod.

With --image it makes a Sandbox of its own, which needs no template, from an image and, after --, a command. Without a
command the image's own runs; it must keep running, since a container that ends is started again (see --restart). The
Pod gets no credentials for the Kubernetes API.

Volumes keep their data while the sandbox is suspended. They are deleted with it, unless --volume-retention, or the
template's persistentVolumeClaimRetentionPolicy, is Retain: then they stay, and the next sandbox of the name has them.

When the time of a Sandbox is over (--ttl), Retain keeps it with its volumes. When that of a claim is over its Sandbox is
deleted in any case; Retain keeps the claim, and the volumes if its template does.

A sandbox that cannot be created leaves nothing behind. One that was created stays, even if --wait fails, times out or is
interrupted: it may still become ready, and the message tells how to delete it.`

const examples = `  # Claim a sandbox of a template, for an hour, and wait until it can be used
  kubectl sandbox create dev --template python --ttl 1h --wait

  # From one pool, and gone with all that belongs to it ten minutes after its work is done
  kubectl sandbox create job --pool python-warm --ttl-after-finished 10m --shutdown-policy DeleteForeground

  # With a variable, which only a new sandbox can take
  kubectl sandbox create dev --template python --pool none --env MODE=fast

  # Without a template: a sandbox that does nothing until you use it, with data that survives suspension
  kubectl sandbox create dev --image python:3.13 --volume data=1Gi:/data --ttl 4h --wait -- sleep infinity

  # A job that runs once
  kubectl sandbox create job --image debian:12 --restart Never --env MODE=fast -- sh -c 'echo $MODE'

  # Only show what would be created
  kubectl sandbox create dev --image debian:12 --dry-run=client -o yaml`

// Options are the name, the command and the flags.
type Options struct{ *provision.Options }

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{provision.NewOptions()}
	cmd := &cobra.Command{
		Use:     "create NAME (--template T | --pool P | --image IMAGE) [flags] [-- COMMAND ARGS...]",
		Short:   "Create a sandbox from a template, a pool or an image",
		Long:    long,
		Example: examples,
		Args:    cli.ExactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Command = cli.ArgsBeforeDash(cmd, args)[0], cli.ArgsAfterDash(cmd, args)
			o.ReadChangedFlags(cmd)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.AddFlags(cmd, f)
	cmd.Flags().StringVar(
		&o.Restart, "restart", "",
		"Start the container again when it ends: Always, OnFailure or Never. With --image only. (default Always)",
	)
	o.DryRun.AddFlag(cmd)
	o.Waiting.AddFlags(cmd, "the sandbox is ready")
	o.PrintFlags.AddFlags(cmd)
	return cmd
}

// Run creates the sandbox, prints it, and waits if asked to.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if o.DryRun.OnClient() {
		namespace, _, err := f.Namespace()
		if err != nil {
			return err
		}
		return o.print(o.Object(namespace, f), streams)
	}
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	made, err := o.Create(ctx, f, a, streams)
	if err != nil {
		return err
	}
	o.tellEnd(made, streams.ErrOut)
	// One document for programs, when there is nothing more to add to it; people see at once that it exists.
	document := *o.PrintFlags.OutputFormat != ""
	if o.DryRun.OnServer() || !o.Waiting.Wait {
		return o.print(made.Object(), streams)
	}
	if !document {
		if err := o.print(made.Object(), streams); err != nil {
			return err
		}
	}
	ready, err := o.wait(ctx, f, a, made, streams)
	if document {
		if ready != nil {
			made = ready
		}
		err = errors.Join(err, o.print(made.Object(), streams))
	}
	return err
}

// tellEnd says what is deleted when the time of what was made is over: not all that Retain lets hope for is kept.
func (o *Options) tellEnd(made *provision.Created, out io.Writer) {
	var text string
	switch claim, sandbox := made.Target().Claim, made.Target().Sandbox; {
	case claim != nil && claim.Spec.Lifecycle != nil:
		text = sdkvolume.ShutdownText(claim, nil, nil) + "; volumes go too, unless the template has them retained"
	case claim == nil && sandbox.Spec.ShutdownTime != nil && len(sandbox.Spec.VolumeClaimTemplates) > 0:
		text = sdkvolume.ShutdownText(nil, sandbox, nil)
	default:
		return
	}
	_, _ = fmt.Fprintf(out, "When its time is over %s\n", text) // a remark
}

// wait waits until the sandbox is ready. If it does not become so, it stays, and the user is told how to delete it.
func (o *Options) wait(
	ctx context.Context,
	f factory.Factory,
	a *factory.Clients,
	made *provision.Created,
	streams genericiooptions.IOStreams,
) (*provision.Created, error) {
	started := f.Clock().Now()
	ready, err := o.WaitReady(ctx, a, made, streams)
	if err != nil {
		_, _ = printable.Fprintf(
			streams.ErrOut, "%s stays; to delete it: %s\n",
			made.Description(), // the error is told either way
			printing.SuggestedCommand("delete "+made.Target().Name()+" --yes", f),
		)
		return nil, err
	}
	_, err = printable.Fprintf(streams.ErrOut, "%s is ready after %.1f s\n", o.Name, f.Clock().Since(started).Seconds())
	return ready, err
}

func (o *Options) print(object runtime.Object, streams genericiooptions.IOStreams) error {
	return o.DryRun.Print(o.PrintFlags, object, streams.Out)
}
