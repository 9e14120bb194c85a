// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package create is the command `create`.
package create

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

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

const long = `create creates a sandbox: one Pod with a stable name. Without NAME the name is generated: that of the
template, pool or image, or the prefix of --generate-name, with random letters. -q prints the name alone.

With --template or --pool it creates a SandboxClaim. The claim gets a warm sandbox at once if a pool has one, and a
new sandbox otherwise. With --template alone the warm sandbox may be of any pool of the template, with --pool P it is of
that pool, and with --pool none the sandbox is always new. A warm sandbox is already running, so --env and --volume
lead to a new one. The template must allow them, and a container of it must mount a volume of that name: otherwise the
claim is refused. Labels and annotations are set on the claim itself and, through its sandboxMetadata and podMetadata,
on the Sandbox and its Pod.

With --image it creates a Sandbox without a claim or template, from an image and, after --, a command. Without a
command, the image's own command runs. It must keep running, because a container that ends is started again (see
--restart). The Pod gets no credentials for the Kubernetes API. For untrusted code, --restricted takes all privileges
from it, as namespaces that enforce the Pod Security Standard "restricted" require, --read-only lets it write only to
/tmp and to volumes, and --cpu and --memory limit what it may use.

Volumes keep their data while the sandbox is suspended. They are deleted with the sandbox, unless --volume-retention,
or the template's persistentVolumeClaimRetentionPolicy, is Retain: then they stay, and the next sandbox of the same
name gets them.

--ttl limits the lifetime, and --shutdown-policy says what happens at its end. For a Sandbox, Retain keeps the Sandbox
and its volumes. The Sandbox of a claim is deleted in any case: Retain keeps the claim, and the volumes only if the
template retains them.

If a sandbox cannot be created, nothing is left behind. A sandbox that was created stays, even if --wait fails, times
out or is interrupted, because it may still become ready; the message says how to delete it.`

const examples = `  # Claim a sandbox of a template for an hour, and wait until it is ready
  kubectl sandbox create dev --template python --ttl 1h --wait

  # Claim one without giving it a name, for a script
  name=$(kubectl sandbox create --template python --ttl 1h --wait -q)

  # Claim one from a pool, and delete it with everything that belongs to it ten minutes after it has finished
  kubectl sandbox create job --pool python-warm --ttl-after-finished 10m --shutdown-policy DeleteForeground

  # Set an environment variable, which needs a new sandbox
  kubectl sandbox create dev --template python --pool none --env MODE=fast

  # Create a sandbox without a template that idles until you use it, with a volume that keeps data during suspension
  kubectl sandbox create dev --image python:3.13 --volume data=1Gi:/data --ttl 4h --wait -- sleep infinity

  # Create one with limits, a port, the variables of a Secret, and a node with a GPU
  kubectl sandbox create gpu --image cuda:12 --requests cpu=1,memory=2Gi --limits cpu=4,memory=8Gi,nvidia.com/gpu=1 \
    --port http=8080 --env-from secret/keys --node-selector gpu=true --toleration nvidia.com/gpu:NoSchedule

  # Create one for untrusted code, also in a namespace that enforces the Pod Security Standard "restricted"
  kubectl sandbox create untrusted --image python:3.13 --restricted --memory 512Mi -- sleep infinity

  # Run a job once
  kubectl sandbox create job --image debian:12 --restart Never --env MODE=fast -- sh -c 'echo $MODE'

  # Show what would be created
  kubectl sandbox create dev --image debian:12 --dry-run=client -o yaml`

// Options are the name, the command and the flags.
type Options struct {
	*provision.Options
	// Prefix begins a generated name.
	Prefix string
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Options: provision.NewOptions()}
	cmd := &cobra.Command{
		Use:     "create [NAME] (--template T | --pool P | --image IMAGE) [flags] [-- COMMAND ARGS...]",
		Short:   "Create a sandbox from a template, a pool or an image",
		Long:    long,
		Example: examples,
		Args:    optionalName,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Command = strings.Join(cli.ArgsBeforeDash(cmd, args), ""), cli.ArgsAfterDash(cmd, args)
			o.ReadChangedFlags(cmd)
			if cmd.Flags().Changed("timeout") && !o.Waiting.Wait {
				return cli.UsageError(errors.New("--timeout limits how long --wait waits: give --wait too"))
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.AddFlags(cmd, f)
	cmd.Flags().StringVar(&o.Restart, "restart", "",
		"When to start the container again after it ends: Always, OnFailure or Never. With --image only. (default Always)")
	o.DryRun.AddFlag(cmd)
	o.Waiting.AddFlags(cmd, "the sandbox is ready")
	o.PrintFlags.AddFlags(cmd)
	cmd.Flags().StringVar(&o.Prefix, "generate-name", "", "Generate a name that begins with this prefix.")
	cmd.Flags().BoolVarP(&o.Quiet, "quiet", "q", false,
		"Print only the name of the sandbox: no progress, and no warning about limits.")
	return cmd
}

// optionalName accepts one argument or none before "--".
func optionalName(cmd *cobra.Command, args []string) error {
	if own := cli.ArgsBeforeDash(cmd, args); len(own) > 1 {
		return fmt.Errorf("unexpected argument %q: this command takes one NAME", own[1])
	}
	return nil
}

// Validate checks the flags, and generates a name if there is none.
func (o *Options) Validate() error {
	switch {
	case o.Name != "" && o.Prefix != "":
		return cli.UsageError(errors.New("--generate-name does not go together with NAME"))
	case o.Quiet && *o.PrintFlags.OutputFormat != "":
		return cli.UsageError(errors.New("--quiet and --output do not go together"))
	case o.Name == "":
		o.Name = o.GenerateName(o.Prefix)
	}
	return o.Options.Validate()
}

// Run creates the sandbox, prints it, and waits with --wait.
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
	if !o.Quiet {
		o.printShutdownEffect(made, streams.ErrOut)
	}
	// With -o, programs get one document, after the wait. Otherwise users see at once that the sandbox exists.
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

// printShutdownEffect prints what is deleted at the end of the lifetime, because Retain does not keep everything.
func (o *Options) printShutdownEffect(made *provision.Created, out io.Writer) {
	var text string
	switch claim, sandbox := made.Target().Claim, made.Target().Sandbox; {
	case claim != nil && claim.Spec.Lifecycle != nil:
		text = sdkvolume.ShutdownText(claim, nil, nil) + "; volumes are deleted too, unless the template retains them"
	case claim == nil && sandbox.Spec.ShutdownTime != nil && len(sandbox.Spec.VolumeClaimTemplates) > 0:
		text = sdkvolume.ShutdownText(nil, sandbox, nil)
	default:
		return
	}
	_, _ = fmt.Fprintf(out, "At the end of its lifetime, %s\n", text) // best effort
}

// wait waits until the sandbox is ready. A sandbox that does not become ready stays, and the output says how to delete
// it.
func (o *Options) wait(
	ctx context.Context, f factory.Factory, a *factory.Clients, made *provision.Created,
	streams genericiooptions.IOStreams,
) (*provision.Created, error) {
	started := f.Clock().Now()
	ready, err := o.WaitReady(ctx, a, made, streams)
	if err != nil {
		_, _ = printable.Fprintf(streams.ErrOut, "%s stays; to delete it: %s\n", made.Description(),
			printing.SuggestedCommand("delete "+made.Target().Name()+" --yes", f)) // best effort: err is returned
		return nil, err
	}
	if o.Quiet {
		return ready, nil
	}
	_, err = printable.Fprintf(streams.ErrOut, "%s is ready after %.1f s\n", o.Name, f.Clock().Since(started).Seconds())
	return ready, err
}

func (o *Options) print(object runtime.Object, streams genericiooptions.IOStreams) error {
	if o.Quiet {
		_, err := printable.Fprintf(streams.Out, "%s\n", o.Name)
		return err
	}
	return o.DryRun.Print(o.PrintFlags, object, streams.Out)
}
