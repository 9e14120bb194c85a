// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package run is the command `run`.
//
// Invariants:
//   - what run made is deleted however it ends (done, failed, never ready, interrupted, its terminal closed, its output
//     cut off), unless the user keeps it;
//   - when run could not do that, because it was killed or cut off, the cluster does it within an hour;
//   - a command that takes longer is not cut off by that: the deadline moves on while run lives.
package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/rand"
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

// cleaning is how long the deletion may take to be accepted after an interrupt.
const cleaning = 10 * time.Second

// Options are the command and the flags.
type Options struct {
	// Sandbox is what the sandbox is made from.
	Sandbox *provision.Options
	// Command is run in it.
	Command   []string
	Container string
	// Stdin and TTY are nil unless the user decided.
	Stdin, TTY *bool
	// Remove deletes the sandbox afterwards.
	Remove bool

	// held says that the sandbox lives as long as we do, and a while.
	held bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Sandbox: provision.NewOptions()}
	var stdin, tty, keep bool
	cmd := &cobra.Command{
		Use:   "run (--template T | --pool P | --image IMAGE) [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command in a sandbox of its own, and delete it afterwards",
		Long: "run makes a sandbox, waits until it is ready, runs a command in it and ends with the command's exit code, or with 255\n" +
			"when the connection was lost before the command was known to have ended. The sandbox is deleted afterwards, also after an\n" +
			"interrupt, when its output is cut off (run ... | head -1) or when it did not become ready; --keep leaves it there.\n\n" +
			"Should run be killed, the cluster deletes the sandbox: an hour after run was last seen, however long the command takes.\n" +
			"With --ttl it does so at that time, whether the command has ended or not.\n\n" +
			"The flags are those of create, standard input and the terminal are treated as in exec. With --image the container runs\n" +
			"'sleep infinity' while the command is executed, so the image needs sleep.",
		Example: "  # In a warm sandbox of a template, which takes a moment\n" +
			"  kubectl sandbox run --template python -- python3 -c 'print(6*7)'\n\n" +
			"  # Pass a script on, with what an image has\n" +
			"  kubectl sandbox run --image python:3.13 -- python3 - < script.py\n\n" +
			"  # Look around afterwards\n" +
			"  kubectl sandbox run --pool python-warm --name look --keep -- sh -c 'make test'",
		Args: cli.OnlyArgsAfterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = cli.ArgsAfterDash(cmd, args)
			o.Sandbox.ReadChangedFlags(cmd)
			if cmd.Flags().Changed("stdin") {
				o.Stdin = &stdin
			}
			if cmd.Flags().Changed("tty") {
				o.TTY = &tty
			}
			o.Remove = o.Remove && !keep
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.Sandbox.AddFlags(cmd, f)
	o.Sandbox.Waiting.AddTimeoutFlag(cmd)
	cmd.Flags().StringVar(&o.Sandbox.Name, "name", "", "The sandbox's name. (default: one that is made up)")
	cmd.Flags().StringVarP(
		&o.Container, "container", "c", "",
		"The container. (default: the one that the Pod marks as its default, or the first)",
	)
	cmd.Flags().BoolVarP(
		&stdin, "stdin", "i", false,
		"Pass standard input on, or with =false do not. (default: if it is no terminal, or with a TTY)",
	)
	cmd.Flags().BoolVarP(
		&tty, "tty", "t", false,
		"Give the command a terminal, or with =false do not. (default: if standard input and output are terminals)",
	)
	cmd.Flags().BoolVar(&keep, "keep", false, "Leave the sandbox there; the same as --rm=false.")
	cmd.Flags().BoolVar(&o.Remove, "rm", true, "Delete the sandbox afterwards.")
	cmd.Flags().Lookup("ttl").Usage = "End the sandbox after this time, as in 30m or 4h, even if the command runs still. (default: 1h after run was last seen; none with --keep)"
	cmd.Flags().Lookup("shutdown-policy").Usage = "What happens at the end of --ttl: Delete (the default, except with --keep) deletes it, Retain keeps the object without a Pod; " +
		"for claims also DeleteForeground, which deletes it when all that belongs to it is gone."
	return cmd
}

// suffix is how many letters a made-up name ends in.
const suffix = 5

// Validate checks the flags and makes a name up if there is none.
func (o *Options) Validate() error {
	if len(o.Command) == 0 {
		return cli.UsageError(errors.New("COMMAND is missing: give it after \"--\""))
	}
	if o.Sandbox.Name == "" {
		o.Sandbox.Name = "run-" + rand.String(suffix)
	}
	if o.Sandbox.Image != "" {
		// sleep as a container's first process takes no SIGTERM: waiting for it to end is in vain.
		o.Sandbox.Command, o.Sandbox.Grace = []string{"sleep", "infinity"}, new(int64(1))
	}
	o.limit()
	return o.Sandbox.Validate()
}

// Run makes the sandbox, runs the command and deletes the sandbox.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	defer cli.HoldExit(ctx)() // what was made is deleted
	made, err := o.Sandbox.Create(ctx, f, a, streams)
	if err != nil {
		return err
	}
	hold, release := context.WithCancel(ctx)
	var held sync.WaitGroup
	if o.held {
		held.Go(func() { (&deadlineKeeper{a, f.Clock(), made, streams.ErrOut}).keep(hold) })
	}
	err = o.use(ctx, f, a, made, streams)
	release()
	held.Wait()
	if !o.Remove {
		_, _ = printable.Fprintf(
			streams.ErrOut, "%s stays; to delete it: %s\n", made.Ref(), deletion(made, f),
		) // the command has ended
		return err
	}
	return remove(ctx, f, a, made, streams, err)
}

// use waits for the sandbox and runs the command in it.
func (o *Options) use(
	ctx context.Context,
	f factory.Factory,
	a *factory.Clients,
	made *provision.Created,
	streams genericiooptions.IOStreams,
) error {
	if _, err := o.Sandbox.WaitReady(ctx, a, made, streams); err != nil {
		return err
	}
	container, err := target.Resolve(ctx, f, made.Ref(), o.Container)
	if err != nil {
		return err
	}
	err = container.Run(ctx, terminal.New(streams, o.Stdin, o.TTY), o.Command)
	return o.overdue(err, sandbox.ShutdownTime(made.Target()), f.Clock().Now())
}

// remove deletes what was made. An interrupt does not stop it. Its failure must not hide how the command ended.
func remove(
	ctx context.Context,
	f factory.Factory,
	a *factory.Clients,
	made *provision.Created,
	streams genericiooptions.IOStreams,
	command error,
) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer cancel()
	err := a.Client.Delete(ctx, made.Target(), false)
	switch {
	case err == nil:
		return command
	case command == nil:
		return fmt.Errorf("the command is done, but its sandbox is still there: %w; to try again: %s", err, deletion(made, f))
	}
	_, _ = printable.Fprintf(
		streams.ErrOut, "Warning: %s is still there: %v; to try again: %s\n", made.Ref(), err, deletion(made, f),
	) // the command's error is returned
	return command
}

func deletion(made *provision.Created, f factory.Factory) string {
	return printing.SuggestedCommand("delete "+made.Ref().String()+" --yes", f)
}
