// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package run is the command `run`.
//
// Invariants:
//   - however run ends (done, failed, never ready, interrupted, terminal closed, output not read), it deletes
//     the sandbox that it created, unless the user keeps it;
//   - if run could not do that, because it was killed or cut off, the cluster deletes the sandbox within an hour;
//   - that does not cut off a command that takes longer: run extends the deadline for as long as it lives.
package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/provision"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// deletionTimeout is how long the deletion may take to be accepted after an interrupt.
const deletionTimeout = 10 * time.Second

// detachedName is the name of the detached command, for logs and wait: a sandbox of run has only one.
const detachedName = "run"

const long = `run creates a sandbox, waits until it is ready, runs a command in it and exits with the command's exit
code, or with 255 if the connection was lost before the command was known to have ended. It deletes the
sandbox afterwards, also after an interrupt, when its output is closed (run ... | head -1) or if the
sandbox did not become ready. --keep leaves the sandbox in place.

If run is killed, the cluster deletes the sandbox an hour after run was last seen. A command that takes
longer is not affected while run is alive. With --ttl the cluster deletes the sandbox at that time,
whether the command has ended or not.

With --command-timeout a command that takes longer is ended, and the exit code is 124. --timeout limits the
wait until the sandbox is ready.

With --detach it starts the command and prints the name of the sandbox. logs NAME --exec run shows what the
command writes, and wait NAME --exec run passes on its exit code. The cluster deletes the sandbox after
--ttl, by default after an hour, unless --keep is given; delete NAME does so before.

With --via=router the command goes through the router and the runtime in the sandbox (see the guide of the
runtime) instead of through the API server, with the token of the kubeconfig or of --token.

The flags are those of create; standard input and the terminal are treated as in exec. With --image the
container runs 'sleep infinity' while the command is executed, so the image needs sleep. In a loop that reads
lines, --no-stdin keeps the command from reading the lines that are left.`

const examples = `  # Run in a warm sandbox of a template, which takes only a moment
  kubectl sandbox run --template python -- python3 -c 'print(6*7)'

  # Run a local script in an image
  kubectl sandbox run --image python:3.13 -- python3 - < script.py

  # Run tests for ten minutes at most, and print nothing but what they write
  kubectl sandbox run --template python -q --command-timeout 10m -- make test

  # Start a command that takes long, for two hours at most, and follow its output
  kubectl sandbox run --template python --name job --ttl 2h -d -- python3 train.py
  kubectl sandbox logs job --exec run -f

  # Keep the sandbox, to look around in it afterwards
  kubectl sandbox run --pool python-warm --name look --keep -- sh -c 'make test'`

// Options are the command and the flags.
type Options struct {
	// Sandbox describes the sandbox to create.
	Sandbox *provision.Options
	// Command runs in the sandbox.
	Command   []string
	Container string
	// Stdin and TTY are nil unless their flags were given.
	Stdin, TTY *bool
	// Process says where and as whom the command runs.
	Process target.ProcessOptions
	// Remove deletes the sandbox afterwards.
	Remove bool
	// Detach leaves the command running, in a sandbox that ends at its deadline.
	Detach bool
	// Via is how the command gets there: viaAPIServer, the default, or viaRouter.
	Via string
	// CommandTimeout is how long the command may run; 0 is without limit.
	CommandTimeout time.Duration

	// named reports that the user chose the name of the sandbox.
	named bool
	// held reports that run extends the deadline of the sandbox while the command runs.
	held bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Sandbox: provision.NewOptions()}
	var streaming target.StreamFlags
	var keep bool
	cmd := &cobra.Command{
		Use:     "run (--template T | --pool P | --image IMAGE) [flags] -- COMMAND [ARGUMENT...]",
		Short:   "Run a command in a sandbox of its own, and delete the sandbox afterwards",
		Long:    long,
		Example: examples,
		Args:    cli.OnlyArgsAfterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = cli.ArgsAfterDash(cmd, args)
			o.Sandbox.ReadChangedFlags(cmd)
			var err error
			if o.Stdin, o.TTY, err = streaming.Given(cmd); err != nil {
				return err
			}
			o.Remove = o.Remove && !keep
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.Sandbox.AddFlags(cmd, f)
	o.Process.AddPlaceFlags(cmd)
	o.Sandbox.Waiting.AddTimeoutFlag(cmd)
	cmd.Flags().Lookup("timeout").Usage = "How long to wait until the sandbox is ready, as in 90s or 10m; " +
		"0 checks once, below 0 there is no limit."
	cmd.Flags().DurationVar(&o.CommandTimeout, "command-timeout", 0,
		"How long the command may run, as in 90s or 10m, before it is ended; the image needs sh. (default: no limit)")
	cmd.Flags().BoolVarP(&o.Sandbox.Quiet, "quiet", "q", false,
		"Print no progress, no warning about limits, nor how to delete a sandbox that is kept under its --name.")
	cmd.Flags().StringVar(&o.Sandbox.Name, "name", "", "The name of the sandbox. (default: a generated name)")
	cmd.Flags().StringVarP(&o.Container, "container", "c", "",
		"The container. (default: the one that the Pod marks as its default, or the first)")
	streaming.Add(cmd)
	cmd.Flags().StringVar(&o.Via, "via", viaAPIServer,
		"How the command gets to the sandbox: api-server, or router, which needs a runtime in the sandbox.")
	_ = cmd.RegisterFlagCompletionFunc("via", cobra.FixedCompletions( // fails only for a flag that does not exist
		[]string{viaAPIServer, viaRouter}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVarP(&o.Detach, "detach", "d", false,
		"Start the command, print the name of the sandbox and do not wait; the image needs sh.")
	cmd.Flags().BoolVar(&keep, "keep", false, "Keep the sandbox; the same as --rm=false.")
	cmd.Flags().BoolVar(&o.Remove, "rm", true, "Delete the sandbox afterwards.")
	cmd.Flags().Lookup("ttl").Usage = "End the sandbox after this time, as in 30m or 4h, even if the command is still " +
		"running. (default: 1h after run was last seen; none with --keep)"
	cmd.Flags().Lookup("shutdown-policy").Usage = "What happens at the end of --ttl: Delete (the default, except with " +
		"--keep) deletes the sandbox, Retain keeps the object without a Pod; for claims also DeleteForeground, which " +
		"deletes it when everything that belongs to it is gone."
	return cmd
}

// Validate checks the flags, and generates a name if there is none.
func (o *Options) Validate() error {
	if len(o.Command) == 0 {
		return cli.UsageError(errors.New("COMMAND is missing: give it after \"--\""))
	}
	if o.CommandTimeout < 0 {
		return cli.UsageError(fmt.Errorf("--command-timeout is %s: it cannot be negative", o.CommandTimeout))
	}
	if o.named = o.Sandbox.Name != ""; !o.named {
		o.Sandbox.Name = o.Sandbox.GenerateName("run-")
	}
	if o.Sandbox.Image != "" {
		// sleep ignores SIGTERM as the first process of a container, so a longer grace period only delays the end.
		o.Sandbox.Command, o.Sandbox.Grace = []string{"sleep", "infinity"}, new(int64(1))
	}
	if err := o.validateVia(); err != nil {
		return cli.UsageError(err)
	}
	if err := o.Process.Validate(); err != nil {
		return err
	}
	if o.Detach && o.CommandTimeout > 0 {
		return cli.UsageError(errors.New("--detach does not go together with --command-timeout: use --ttl, which ends the " +
			"sandbox"))
	}
	if o.Detach && (o.Via == viaRouter || (o.Stdin != nil && *o.Stdin) || (o.TTY != nil && *o.TTY)) {
		return cli.UsageError(errors.New("--detach goes together with none of --stdin, --tty and --via=router"))
	}
	o.setDeadline()
	return o.Sandbox.Validate()
}

// Run creates the sandbox, runs the command and deletes the sandbox.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	defer cli.HoldExit(ctx)() // the sandbox must still be deleted
	made, err := o.Sandbox.Create(ctx, f, a, streams)
	if err != nil {
		return err
	}
	holding, release := context.WithCancel(ctx)
	var held sync.WaitGroup
	if o.held {
		held.Go(func() { (&deadlineKeeper{a, f.Clock(), made, streams.ErrOut}).keep(holding) })
	}
	err = o.use(ctx, f, a, made, streams)
	release()
	held.Wait()
	if o.Detach && err == nil {
		_, err = printable.Fprintf(streams.Out, "%s\n", made.Target().Name())
		return err
	}
	if !o.Remove {
		if !o.Sandbox.Quiet || !o.named { // a generated name must be told
			// best effort: the result of the command matters more
			_, _ = printable.Fprintf(streams.ErrOut, "%s stays; to delete it: %s\n", made.Ref(), deletion(made, f))
		}
		return err
	}
	return remove(ctx, f, a, made, streams, err)
}

// use waits for the sandbox and runs the command in it.
func (o *Options) use(
	ctx context.Context, f factory.Factory, a *factory.Clients, made *provision.Created,
	streams genericiooptions.IOStreams,
) error {
	if _, err := o.Sandbox.WaitReady(ctx, a, made, streams); err != nil {
		return err
	}
	err := o.execute(ctx, f, made, streams)
	return o.explainExpiry(err, sandbox.ShutdownTime(made.Target()), f.Clock().Now())
}

// execute runs the command.
func (o *Options) execute(
	ctx context.Context, f factory.Factory, made *provision.Created, streams genericiooptions.IOStreams,
) error {
	if o.Via == viaRouter {
		return o.throughRouter(ctx, f, made, streams)
	}
	container, err := target.Resolve(ctx, f, made.Ref(), o.Container)
	if err != nil {
		return err
	}
	if o.Detach {
		_, err := container.Start(ctx, &o.Process, o.Command, detachedName)
		return err
	}
	session := terminal.New(streams, o.Stdin, o.TTY)
	return container.RunWithin(ctx, session, &o.Process, o.Command, o.CommandTimeout)
}

// remove deletes the sandbox, even after an interrupt. command is the error of the command: if there is one, it is
// returned, and a failed deletion is only a warning.
func remove(
	ctx context.Context, f factory.Factory, a *factory.Clients, made *provision.Created,
	streams genericiooptions.IOStreams, command error,
) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deletionTimeout)
	defer cancel()
	err := a.Client.Delete(ctx, made.Target(), false)
	switch {
	case err == nil:
		return command
	case command == nil:
		return fmt.Errorf("the command is done, but its sandbox is still there: %w; to try again: %s",
			err, deletion(made, f))
	}
	_, _ = printable.Fprintf(streams.ErrOut, "Warning: %s is still there: %v; to try again: %s\n",
		made.Ref(), err, deletion(made, f)) // best effort
	return command
}

// deletion returns the command line that deletes the sandbox.
func deletion(made *provision.Created, f factory.Factory) string {
	return printing.SuggestedCommand("delete "+made.Ref().String()+" --yes", f)
}
